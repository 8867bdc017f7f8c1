"""What a page says as HTML, Markdown and PDF, and a result's rows as CSV."""
