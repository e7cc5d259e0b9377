/** A skill as its SKILL.md describes it: the name, the description and the first heading. */
export interface DescribedSkill {
  readonly name: string
  readonly description: string
  readonly heading: string
}

/** Skills as people publish them for agents, in our own words. None declares triggers. */
export const IMPORTED_SKILLS: readonly DescribedSkill[] = [
  {
    name: 'pdf-toolkit',
    heading: 'PDF Toolkit',
    description:
      'Work with PDF files: extract text and tables, merge or split documents, rotate pages, fill in forms and add watermarks. Use when the user has a .pdf file or wants to produce one. Do not use for Word documents or spreadsheets.',
  },
  {
    name: 'docx-writer',
    heading: 'Word documents',
    description:
      'Create and edit Word documents (.docx) with headings, tables, comments and tracked changes. Use when the user asks for a letter, a contract or a memo as a Word file. Do not use for PDF files.',
  },
  {
    name: 'spreadsheet-analyst',
    heading: 'Spreadsheets',
    description:
      'Reads, cleans and charts spreadsheets in Excel or CSV format, writes formulas and builds pivot tables. Use whenever numbers live in an .xlsx or .csv file.',
  },
  {
    name: 'slide-deck-builder',
    heading: 'Building a slide deck',
    description:
      'Builds PowerPoint presentations from an outline: layouts, speaker notes, charts and images. Use when slides, a deck or a pitch are wanted.',
  },
  {
    name: 'github-pull-requests',
    heading: 'GitHub pull requests',
    description:
      'Open, review and merge pull requests on GitHub with the gh command line. Covers checks, review comments and labels. Use when the user mentions a PR or asks why CI is red.',
  },
  {
    name: 'commit-messages',
    heading: 'Commit messages',
    description:
      'Writes clear git commit messages from the staged diff, following conventional commits. Use when committing changes. Do not use for release notes.',
  },
  {
    name: 'release-notes',
    heading: 'Release notes',
    description:
      'Turns the git history since the last tag into a changelog that customers can read. Use for release notes, changelogs and "what changed" summaries.',
  },
  {
    name: 'calendar-assistant',
    heading: 'Calendar',
    description:
      'Looks up, creates and moves events in Google Calendar and finds a free slot for several people. Use when the user talks about meetings, appointments or availability.',
  },
  {
    name: 'inbox-triage',
    heading: 'Inbox triage',
    description:
      'Sorts unread e-mail in Gmail, drafts replies and archives newsletters. Use when the inbox is full or the user asks for a summary of their mail.',
  },
  {
    name: 'meeting-minutes',
    heading: 'Meeting minutes',
    description:
      'Turns a transcript or a recording of a meeting into minutes with decisions, action items and owners. Use after a call, e.g. "write up the meeting".',
  },
  {
    name: 'image-resizer',
    heading: 'Image resizer',
    description:
      'Resizes, crops, compresses and converts images (PNG, JPEG, WebP) in bulk with ImageMagick. Use when pictures are too large or have the wrong format.',
  },
  {
    name: 'video-clipper',
    heading: 'Cutting video',
    description:
      'Cuts clips from a video, adds subtitles and converts between MP4, MOV and GIF with ffmpeg. Use when the user wants to trim footage or make a gif.',
  },
  {
    name: 'sql-explorer',
    heading: 'SQL explorer',
    description:
      'Answers questions about data in Postgres or SQLite by writing read-only SQL queries and explaining slow ones. Use for database questions. Not for schema migrations.',
  },
  {
    name: 'docker-doctor',
    heading: 'Docker doctor',
    description:
      'Finds out why a Docker container does not start, is unhealthy or uses too much memory, and shrinks images. Use when containers or docker compose misbehave.',
  },
  {
    name: 'unit-test-writer',
    heading: 'Writing unit tests',
    description:
      'Writes unit tests with pytest, vitest or JUnit for a given function and raises coverage. Use when tests are missing or a bug needs a regression test.',
  },
  {
    name: 'weather-briefing',
    heading: 'Weather briefing',
    description:
      'Fetches the forecast for a city from wttr.in and says whether an umbrella or a coat is needed. Use when somebody asks about rain, temperature or wind.',
  },
  {
    name: 'travel-planner',
    heading: 'Travel planner',
    description:
      'Plans trips: compares flights and trains, finds hotels within a budget and writes an itinerary for each day. Use when the user is planning a journey or a holiday.',
  },
  {
    name: 'recipe-keeper',
    heading: 'Recipe keeper',
    description:
      'Saves cooking recipes from web pages, scales the ingredients and writes a shopping list. Use when the user wants to cook, bake or plan meals.',
  },
  {
    name: 'slack-digest',
    heading: 'Slack digest',
    description:
      'Summarises Slack channels and threads since yesterday and posts messages on request. Use when the user missed a discussion or wants to notify a channel.',
  },
  {
    name: 'invoice-reader',
    heading: 'Invoice reader',
    description:
      'Reads invoices and receipts (scans or photos) and returns supplier, date, VAT and total for bookkeeping. Use when bills have to be entered or reconciled.',
  },
  {
    name: 'wochenbericht',
    heading: 'Wochenbericht schreiben',
    description:
      'Schreibt einen Wochenbericht aus erledigten Aufgaben und Kalendereinträgen. Verwenden, wenn jemand einen Bericht über die Woche oder einen Tätigkeitsnachweis braucht.',
  },
  {
    name: 'traduction-technique',
    heading: 'Traduction technique',
    description:
      'Traduit des notices techniques entre le français et l’anglais avec un glossaire. À utiliser pour un mode d’emploi ou une fiche technique.',
  },
]
