"""The local web app: recordings are dropped, located, reviewed and corrected in a browser; the jobs are a cohort's."""
