"""Stage 8: what a user looks at and takes away: table, report page, overlay video, trajectory exports."""
