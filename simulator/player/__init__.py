"""Show a trace: in a notebook, in one offline HTML file, in a terminal."""
