"""What a notebook shows of a result: its page as HTML, with its picture."""
