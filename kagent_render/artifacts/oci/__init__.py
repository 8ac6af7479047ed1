"""OCI artifacts by digest: a registry is asked through oras, and nothing that it answers is believed."""
