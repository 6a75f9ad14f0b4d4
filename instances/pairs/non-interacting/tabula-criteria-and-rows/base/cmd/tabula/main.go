// Command tabula keeps a small spreadsheet in a file.
package main

import (
	"os"

	"example.org/tabula/internal/command"
)

func main() {
	os.Exit(command.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
