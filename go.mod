module github.com/cookmem-go/cookmem

go 1.26.0

require (
	github.com/emirpasic/gods v1.18.1 // indirect
	github.com/google/btree v1.1.3 // indirect
	github.com/jedib0t/go-pretty/v6 v6.8.3 // indirect
	golang.org/x/sys v0.50.0 // indirect
	modernc.org/memory v1.13.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
