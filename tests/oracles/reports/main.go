// Command reports judges what CI systems are given. The first argument says what standard input is:
//
//	markdown          GitHub Flavored Markdown, for which the HTML is written that it makes
//	workflow FOLDER   a GitHub Actions workflow of the repository in FOLDER, whose action it may use as `./`
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
	if err == nil {
		err = judge(os.Args[1:], text)
	}
	if err != nil {
		fmt.Println(err)
	}
}

func judge(arguments []string, text []byte) error {
	switch {
	case len(arguments) == 1 && arguments[0] == "markdown":
		// With raw HTML, as GitHub has it before it filters tags.
		writer := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
		return writer.Convert(text, os.Stdout)
	case len(arguments) == 2 && arguments[0] == "workflow":
		return judgeWorkflow(arguments[1], text)
	}
	return fmt.Errorf("nothing is known of %q", arguments)
}

func judgeWorkflow(folder string, text []byte) error {
	project, err := actionlint.NewProject(folder)
	if err != nil {
		return err
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		return err
	}
	faults, err := linter.Lint(".github/workflows/workflow.yaml", text, project)
	for _, fault := range faults {
		fmt.Printf("%d:%d: %s\n", fault.Line, fault.Column, fault.Message)
	}
	return err
}
