const WAIT_MS = 15_000
const MAX_PAGES = 200

const COLUMNS = [
  { key: 'number', label: 'Number', type: 'text' },
  { key: 'date', label: 'Date', type: 'date' },
  { key: 'vehicle', label: 'Vehicle', type: 'text' },
  { key: 'litres', label: 'Litres', type: 'number' },
  { key: 'price_per_litre', label: 'Price per litre', type: 'number' },
  { key: 'cost', label: 'Cost', type: 'number' },
]

async function collect(args) {
  const form = document.querySelector('form#search')
  if (form === null) return toArtifact(args, { status: 'blocked', warnings: ['The page has no search form.'] })
  startSearch(form, args)
  const problem = await waitForTable(toSearchName(args))
  if (problem !== undefined) return toArtifact(args, { status: 'error', warnings: [problem] })
  const { pages, problem: stopped } = await readPages()
  return toArtifact(args, judgeRows(pages.flat().map(toRow), readTotal(), stopped))
}

function startSearch(form, { depot, period }) {
  form.elements.depot.value = depot
  form.elements.from.value = period.start
  form.elements.to.value = period.end
  form.querySelector('button[type=submit]').click()
}

const toSearchName = ({ depot, period }) => `${depot} ${period.start} ${period.end}`

/** Waits until the page shows the result of this search. Returns what went wrong, or undefined. */
function waitForTable(searchName) {
  return waitFor(() => {
    const error = document.querySelector('#error:not([hidden])')
    if (error !== null) return { problem: `The page shows: ${error.textContent.trim()}` }
    const loading = document.querySelector('#loading:not([hidden])')
    const shown = document.querySelector('#results')?.dataset.search
    return loading === null && shown === searchName ? {} : undefined
  }).then((found) => (found === undefined ? 'The page did not show the result in time.' : found.problem))
}

async function readPages() {
  const pages = [readCells()]
  while (pages.length < MAX_PAGES) {
    const next = document.querySelector('#next')
    if (next === null || next.disabled) return { pages }
    const before = readPageNumber()
    next.click()
    const turned = await waitFor(() => (isLoading() || readPageNumber() === before ? undefined : true))
    if (turned === undefined) return { pages, problem: `Page ${pages.length + 1} did not appear in time.` }
    pages.push(readCells())
  }
  return { pages, problem: `Only the first ${MAX_PAGES} pages were read.` }
}

const isLoading = () => document.querySelector('#loading:not([hidden])') !== null

const readPageNumber = () => document.querySelector('#page')?.textContent

const readCells = () =>
  [...document.querySelectorAll('#results tbody tr')].map((line) =>
    [...line.cells].map((cell) => cell.textContent.trim()),
  )

const readTotal = () => toNumber(document.querySelector('#total')?.textContent)

/** The first value that is not undefined, looked for after each change of the page; undefined when time is up. */
function waitFor(find) {
  return new Promise((resolve) => {
    const end = (value) => {
      observer.disconnect()
      clearTimeout(timer)
      resolve(value)
    }
    const look = () => {
      const found = find()
      if (found !== undefined) end(found)
    }
    const observer = new MutationObserver(look)
    const timer = setTimeout(() => end(undefined), WAIT_MS)
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    look()
  })
}

const toRow = ([number, date, vehicle, litres, price, cost]) => ({
  number,
  date,
  vehicle,
  litres: toNumber(litres),
  price_per_litre: toNumber(price),
  cost: toNumber(cost),
})

function toNumber(text) {
  const plain = (text ?? '').replaceAll(',', '').replace('€', '').trim()
  return plain === '' || Number.isNaN(Number(plain)) ? null : Number(plain)
}

function judgeRows(rows, total, stopped) {
  if (rows.length === 0 && total === 0) return { status: 'empty', warnings: [] }
  const warnings = stopped === undefined ? [] : [stopped]
  const unique = [...new Map(rows.map((row) => [row.number, row])).values()]
  if (unique.length < rows.length) warnings.push(`${rows.length - unique.length} rows were shown twice.`)
  if (unique.length !== total) warnings.push(`The page states ${total} rows, and ${unique.length} were read.`)
  return { status: warnings.length === 0 ? 'ok' : 'partial', rows: unique, totals: sumUp(unique), warnings }
}

function sumUp(rows) {
  const add = (key) => Math.round(rows.reduce((sum, row) => sum + (row[key] ?? 0), 0) * 100) / 100
  return { number: 'Total', date: null, vehicle: null, litres: add('litres'), price_per_litre: null, cost: add('cost') }
}

const toArtifact = ({ depot, period }, { status, rows = [], totals, warnings }) => ({
  type: 'report-artifact',
  status,
  title: `Fuel report, ${depot} depot`,
  period: period.label,
  columns: COLUMNS,
  rows,
  ...(totals === undefined ? {} : { totals }),
  warnings,
  source: { url: location.href, collected_at: new Date().toISOString() },
})
