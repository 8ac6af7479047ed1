// Command reports judges what CI systems are given. The first argument says what standard input is:
//
//	markdown   GitHub Flavored Markdown, for which the HTML is written that it makes
//	workflow   a GitHub Actions workflow, read by actionlint
//
// Faults are written to standard output, one a line.
package main

import (
	"fmt"
	"io"
	"os"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // its source has OASIS's schema, which a test reads
	"github.com/rhysd/actionlint"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err == nil && len(os.Args) == 2 {
		err = judge(os.Args[1], text)
	}
	if err != nil {
		fmt.Println(err)
	}
}

func judge(what string, text []byte) error {
	switch what {
	case "markdown":
		// With raw HTML, as GitHub has it before it filters tags.
		writer := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
		return writer.Convert(text, os.Stdout)
	case "workflow":
		return judgeWorkflow(text)
	}
	return fmt.Errorf("nothing is known of %q", what)
}

func judgeWorkflow(text []byte) error {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		return err
	}
	faults, err := linter.Lint("workflow.yaml", text, nil)
	for _, fault := range faults {
		fmt.Printf("%d:%d: %s\n", fault.Line, fault.Column, fault.Message)
	}
	return err
}
