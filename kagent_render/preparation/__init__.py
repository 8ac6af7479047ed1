"""The whole flow, from documents to what should be written; `flow` is the module to read first."""
