import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const source = readFileSync(new URL('collect_fuel.js', import.meta.url), 'utf8')
const { collect, judgeRows, toNumber, toRow, toSearchName } = new Function(
  `${source}\nreturn { collect, judgeRows, toNumber, toRow, toSearchName }`,
)()

const rows = [
  ['R-1', '2026-03-02', 'K-07', '61.20', '1.689', '€ 103.37'],
  ['R-2', '2026-03-03', 'K-11', '1,040.00', '1.695', '€ 1,762.80'],
].map(toRow)

test('the entry script defines collect', () => assert.equal(typeof collect, 'function'))

test('cells become typed rows', () => {
  assert.deepEqual(rows[1], {
    number: 'R-2',
    date: '2026-03-03',
    vehicle: 'K-11',
    litres: 1040,
    price_per_litre: 1.695,
    cost: 1762.8,
  })
  assert.equal(toNumber('–'), null)
})

test('a search is named by the depot and the days of the period', () => {
  const period = { mode: 'month', start: '2026-03-01', end: '2026-03-31', label: '2026-03' }
  assert.equal(toSearchName({ depot: 'north', period }), 'north 2026-03-01 2026-03-31')
})

test('all rows are ok, with totals', () => {
  const { status, totals, warnings } = judgeRows(rows, 2)
  assert.deepEqual([status, warnings, totals.litres, totals.cost], ['ok', [], 1101.2, 1866.17])
})

test('missing, repeated and unread rows are partial', () => {
  assert.deepEqual(judgeRows(rows, 3).warnings, ['The page states 3 rows, and 2 were read.'])
  const repeated = judgeRows([...rows, rows[1]], 3)
  assert.deepEqual([repeated.status, repeated.rows.length, repeated.warnings.length], ['partial', 2, 2])
  assert.equal(judgeRows(rows, 2, 'Page 2 did not appear in time.').status, 'partial')
})

test('no rows are empty only if the page says so', () => {
  assert.equal(judgeRows([], 0).status, 'empty')
  assert.equal(judgeRows([], null).status, 'partial')
})
