const SOLAX_LIMIT = 'set-discharge-to-limit-orchestrated|set-discharge-to-limit-replay'
const HVAC = 'control-hvac-orchestrated'

/** Requests as people phrase them, by the name of the skill that should come first; `|` separates equally good ones. */
export const REQUESTS: readonly (readonly [string, readonly string[]])[] = [
  [
    'pdf-toolkit',
    [
      'merge these two pdf files',
      'can you extract the tables from this PDF',
      'rotate the pages of my pdf',
      'fill in the form in application.pdf',
      'Kannst du diese PDF Dateien zusammenfügen?',
      'ajoute un filigrane à ce pdf',
    ],
  ],
  [
    'docx-writer',
    [
      'write the contract as a word document',
      'turn on tracked changes in the docx',
      'I need a memo in Word',
      'erstelle mir einen Brief als Word Datei',
    ],
  ],
  [
    'spreadsheet-analyst',
    [
      'make a pivot table from sales.xlsx',
      'clean up this csv file',
      'which formula sums a column in excel',
      'crea una tabla dinámica en Excel',
      'chart the numbers in my spreadsheet',
    ],
  ],
  [
    'slide-deck-builder',
    [
      'make a powerpoint presentation about our roadmap',
      'build a slide deck for the pitch',
      'add speaker notes to the slides',
      'erstelle eine PowerPoint Präsentation',
    ],
  ],
  [
    'github-pull-requests',
    [
      'why is CI red on my PR',
      'open a pull request for this branch',
      'merge the pull request once checks pass',
      'reply to the review comments on github',
      'mach einen Pull Request auf GitHub auf',
    ],
  ],
  [
    'commit-messages',
    [
      'write a commit message for the staged diff',
      'what would be a good commit message here',
      'conventional commits please',
    ],
  ],
  [
    'release-notes',
    [
      'write the release notes for 2.4',
      'generate a changelog since the last tag',
      'what changed since the last release',
    ],
  ],
  [
    'calendar-assistant',
    [
      'find a free slot for a meeting with Anna and Ben',
      'move my appointment to Friday',
      'what is in my google calendar tomorrow',
      'trouve un créneau libre dans Google Calendar',
    ],
  ],
  [
    'inbox-triage',
    [
      'sort my unread email',
      'archive all newsletters in gmail',
      'draft replies to my unread mail',
      'my inbox is full',
      'räum meine Gmail Inbox auf',
    ],
  ],
  [
    'meeting-minutes',
    [
      'write up the meeting',
      'turn this transcript into minutes',
      'list the action items from the call recording',
      'who owns the decisions from the meeting transcript',
    ],
  ],
  [
    'image-resizer',
    [
      'resize these images to 800 pixels',
      'convert all png files to webp',
      'compress the pictures in this folder',
      'crop my photos, the images are too large',
      'redimensionner les images png',
    ],
  ],
  [
    'video-clipper',
    [
      'trim the first minute of this video',
      'make a gif from the mp4',
      'add subtitles to my video',
      'convert mov to mp4 with ffmpeg',
    ],
  ],
  [
    'sql-explorer',
    [
      'why is this sql query slow',
      'how many customers are in the postgres database',
      'write a read-only query for sqlite',
      'consulta SQL para la base postgres',
    ],
  ],
  [
    'docker-doctor',
    [
      'my docker container does not start',
      'docker compose says unhealthy',
      'shrink the docker image',
      'the container uses too much memory',
      'warum startet mein Docker Container nicht',
    ],
  ],
  [
    'unit-test-writer',
    [
      'write unit tests for this function',
      'add a regression test for the bug',
      'raise the coverage with vitest',
      'écris des unit tests avec pytest',
    ],
  ],
  [
    'weather-briefing',
    ['do I need an umbrella in Lisbon', 'what is the forecast for Oslo', 'will there be rain or wind tomorrow'],
  ],
  [
    'travel-planner',
    [
      'plan a trip to Kyoto with hotels',
      'compare flights and trains to Milan',
      'write an itinerary for our holiday',
      'find a hotel within my budget',
    ],
  ],
  [
    'recipe-keeper',
    [
      'save this cooking recipe',
      'scale the ingredients for six people',
      'make a shopping list for the meals of the week',
    ],
  ],
  [
    'slack-digest',
    [
      'summarise the slack channel from yesterday',
      'post a message in slack',
      'what did I miss in the slack threads',
      'fasse den Slack Channel zusammen',
    ],
  ],
  [
    'invoice-reader',
    [
      'read the VAT and total from this invoice',
      'enter these receipts for bookkeeping',
      'which supplier sent this bill, see the scanned invoice',
    ],
  ],
  [
    'wochenbericht',
    [
      'schreib den wochenbericht',
      'ich brauche einen bericht über die woche',
      'tätigkeitsnachweis für diese woche erstellen',
    ],
  ],
  [
    'traduction-technique',
    [
      'traduction technique de cette notice',
      'traduit le mode d’emploi en anglais',
      'fiche technique à traduire avec le glossaire',
    ],
  ],
  [
    'apprentice-import-skill',
    [
      'install the skill in this zip file with apprentice',
      'import a skill from another source',
      'scan and stage this skill bundle',
      'share a skill with a colleague as a zip',
    ],
  ],
  [
    'apprentice-orientation',
    [
      'how do I work with apprentice',
      'run an ability on the android phone with the apprentice command',
      'use the apprentice api to find an ability',
    ],
  ],
  [
    'apprentice-repair-skill',
    [
      'repair the ability that stopped working',
      'the run fails with a missing element',
      'an ability is in quarantine after the app changed',
      'the run ended indeterminate, repair it',
    ],
  ],
  [
    'apprentice-teach-by-demonstration',
    [
      'teach a workflow by demonstration',
      'record and automate something on my phone by demonstrating it',
      'I want to demonstrate a workflow once',
    ],
  ],
  [
    'set-fan-level',
    ['set the airtouch fan level to low', 'put the fan on high in airtouch 5', 'fan level auto please'],
  ],
  ['set-mode', ['set airtouch to cool mode', 'change the operating mode to heat', 'stell AirTouch mode auf dry']],
  [
    'set-power-state',
    ['turn the airtouch system power off', 'airtouch power state on', 'set the airtouch 5 power to off'],
  ],
  [
    'set-zone-state',
    [
      'turn off the zone in airtouch',
      'set zone bedroom to on in airtouch 5',
      'which zone state is set, switch zone off',
    ],
  ],
  [
    'set-home-controls',
    ['set several airtouch home controls in one run', 'change the airtouch home-screen controls together'],
  ],
  [
    'com.amazon.mShop.android.shopping.search-products',
    [
      'search amazon for a usb cable',
      'what does a kettle cost on amazon shopping',
      'amazon product search with prices',
      'busca un cargador en amazon shopping',
    ],
  ],
  [
    'capture-overview',
    [
      'capture an overview of android settings',
      'take a screenshot of the settings app',
      'save a snapshot of the settings text',
    ],
  ],
  [
    'install-app',
    [
      'install an app from the play store',
      'install signal from google play',
      'installiere eine app aus dem google play store',
    ],
  ],
  [
    'search-app',
    ['search the play store for a notes app', 'find an app in the google play store and open its details page'],
  ],
  ['com.coles.search-products', ['search coles for milk', 'price of bread at coles', 'is butter on sale at coles']],
  [
    'com.woolworths.search-products',
    [
      'search woolworths for apples',
      'what is the sale price of coffee at woolworths',
      'woolworths products with original price',
    ],
  ],
  [
    'control-home-robot-vacuum-orchestrated',
    [
      'start the robot vacuum',
      'pause the deebot',
      'send the vacuum to its dock',
      'is the ecovacs robot offline',
      'starte den Ecovacs Saugroboter',
    ],
  ],
  ['get-usage', ['read my globird usage and cost', 'show the globird usage values', 'globird energy summary']],
  ['get-yesterday-usage-cost-replay', ['what was yesterday usage cost at globird', 'yesterday usage cost in dollars']],
  [
    HVAC,
    [
      'control the hvac with google home',
      'one climate action in google home for the hvac',
      'google home hvac controller',
    ],
  ],
  [
    'get-climate-replay',
    ['read the google home climate status', 'what is the status of the climate unit in google home'],
  ],
  ['set-power-replay', ['turn the google home climate unit power on', 'set climate unit power off in google home']],
  [
    'set-temperature-replay',
    ['set the google home climate temperature to 22', 'setting the temperature of the climate unit in google home'],
  ],
  [
    'get-location',
    [
      'where is Emma right now according to life360',
      'get the current location of a person from life360',
      'life360 location of dad',
    ],
  ],
  [
    'set-my-list-state-replay',
    [
      'add this title to my netflix list',
      'remove a show from my list on netflix',
      'netflix my list state for my profile',
      'ajoute ce film à ma liste netflix',
    ],
  ],
  [
    'get-battery',
    ['solax battery percentage', 'how full is the solax cloud battery', 'wie voll ist die solax battery'],
  ],
  [SOLAX_LIMIT, ['set the discharge to limit in solax cloud', 'solax discharge limit 20 percent']],
  [
    'get-bedroom-temperature',
    ['what is the bedroom temperature', 'read the switchbot temperature', 'switchbot bedroom temperature please'],
  ],
  [
    'show-android-device',
    ['show the android device with scrcpy', 'observe the connected android devices read-only', 'launch scrcpy'],
  ],
]
