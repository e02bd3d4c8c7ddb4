// Package floor holds the text of the twelve workloads, for which package work
// tells the terms and the rule, and the heap that marks the limit: a bump
// pointer on warm memory. Its other files are copied to the other families;
// edit them here and run go generate in the folder above.
package floor
