// Command weirline keeps the water levels that gauging stations send in.
package main

import (
	"os"
	"time"

	"example.org/weirline/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], cli.Surroundings{Out: os.Stdout, Err: os.Stderr, Now: time.Now}))
}
