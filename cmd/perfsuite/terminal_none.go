//go:build !linux && !darwin

package main

import "os"

// terminalWidth would return how many columns the terminal has that a file is.
func terminalWidth(*os.File) int { return 0 }
