// Command attic keeps the papers of a club in one file and exports them as folders.
package main

import (
	"os"

	"example.org/attic/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
