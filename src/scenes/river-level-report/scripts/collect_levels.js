const WAIT_MS = 15_000
const MAX_MONTHS = 240

const COLUMNS = [
  { key: 'gauge', label: 'Gauge', type: 'text' },
  { key: 'river', label: 'River', type: 'text' },
  { key: 'level_cm', label: 'Level (cm)', type: 'number' },
  { key: 'change_cm', label: 'Change (cm)', type: 'number' },
  { key: 'stage', label: 'Stage', type: 'text' },
]

async function collect(args) {
  const day = parseDay(args.day)
  if (day === undefined) return toArtifact(args, { status: 'error', warnings: [`${args.day} is not a day.`] })
  const frame = await waitFor(() => findCalendar()?.ownerDocument)
  if (frame === undefined) return toArtifact(args, { status: 'blocked', warnings: [describeFrame()] })
  const problem = await chooseDay(frame, day)
  if (problem !== undefined) return toArtifact(args, { status: 'error', warnings: [problem] })
  const table = await waitFor(() => findTable(frame, args.day))
  if (table === undefined)
    return toArtifact(args, { status: 'error', warnings: [`The table of ${args.day} did not appear in time.`] })
  return toArtifact(args, judgeRows(readCells(table).map(toRow)))
}

/** A day of the calendar as numbers, or undefined for a text such as 2026-02-30. */
function parseDay(text) {
  const [year, month, day] = text.split('-').map(Number)
  const at = new Date(Date.UTC(year, month - 1, day))
  return at.toJSON()?.startsWith(`${text}T`) ? { year, month, day } : undefined
}

/** A frame of another origin has no document for this page. */
const findCalendar = () => document.querySelector('iframe[name=report]')?.contentDocument?.querySelector('#calendar')

function describeFrame() {
  const frame = document.querySelector('iframe[name=report]')
  if (frame === null) return 'The page has no frame for the report.'
  return frame.contentDocument === null ? 'The report is of another origin.' : 'The report has no calendar.'
}

async function chooseDay(frame, { year, month, day }) {
  frame.querySelector('#day').click()
  for (let turns = 0; turns < MAX_MONTHS; turns += 1) {
    const shown = frame.querySelector('#calendar').dataset.month
    const steps = countMonths(shown, { year, month })
    if (steps === 0) return pressDay(frame, day)
    const button = frame.querySelector(steps < 0 ? '#earlier' : '#later')
    if (button.disabled) return `The calendar ends at ${shown}.`
    button.click()
    const turned = await waitFor(() => (frame.querySelector('#calendar').dataset.month === shown ? undefined : true))
    if (turned === undefined) return `The calendar stays at ${shown}.`
  }
  return 'The month is too far away.'
}

/** How many months the wanted month is after the shown one. */
function countMonths(shown, { year, month }) {
  const [shownYear, shownMonth] = shown.split('-').map(Number)
  return (year - shownYear) * 12 + (month - shownMonth)
}

function pressDay(frame, day) {
  const button = [...frame.querySelectorAll('#calendar button[data-day]')].find(
    (one) => Number(one.dataset.day) === day,
  )
  if (button === undefined || button.disabled) return 'The calendar does not offer this day.'
  button.click()
  return undefined
}

function findTable(frame, day) {
  const table = frame.querySelector('table')
  return table?.caption?.textContent.includes(day) ? table : undefined
}

const readCells = (table) =>
  [...table.tBodies[0].rows].map((line) => [...line.cells].map((cell) => cell.textContent.trim()))

/** The first value that is not undefined; undefined when time is up. It looks again every 50 ms, because frames replace their documents. */
function waitFor(find) {
  const until = Date.now() + WAIT_MS
  return new Promise((resolve) => {
    const look = () => {
      const found = find() ?? undefined
      if (found !== undefined || Date.now() > until) resolve(found)
      else setTimeout(look, 50)
    }
    look()
  })
}

const toRow = ([gauge, river, level, change, stage]) => ({
  gauge,
  river,
  level_cm: toNumber(level),
  change_cm: toNumber(change),
  stage,
})

/** The page writes a minus sign and a plus sign, and a dash for none. */
function toNumber(text) {
  const plain = text.replace('−', '-').replace('+', '').replaceAll(',', '')
  return plain === '' || Number.isNaN(Number(plain)) ? null : Number(plain)
}

function judgeRows(rows) {
  if (rows.length === 0) return { status: 'empty', warnings: [] }
  const silent = rows.filter(({ level_cm }) => level_cm === null).map(({ gauge }) => gauge)
  if (silent.length === 0) return { status: 'ok', rows, warnings: [] }
  return { status: 'partial', rows, warnings: [`No level from ${silent.join(', ')}.`] }
}

const toArtifact = ({ day }, { status, rows = [], warnings }) => ({
  type: 'report-artifact',
  status,
  title: 'River levels',
  period: day,
  columns: COLUMNS,
  rows,
  warnings,
  source: { url: location.href, collected_at: new Date().toISOString() },
})
