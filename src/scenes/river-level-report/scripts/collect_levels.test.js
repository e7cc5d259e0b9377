import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const source = readFileSync(new URL('collect_levels.js', import.meta.url), 'utf8')
const { collect, countMonths, judgeRows, parseDay, toRow } = new Function(
  `${source}\nreturn { collect, countMonths, judgeRows, parseDay, toRow }`,
)()

test('the entry script defines collect', () => assert.equal(typeof collect, 'function'))

test('a day is a day of the calendar', () => {
  assert.deepEqual(parseDay('2024-02-29'), { year: 2024, month: 2, day: 29 })
  for (const text of ['2026-02-29', '2026-13-01', '2026-3-1', 'today']) assert.equal(parseDay(text), undefined)
})

test('months are counted over years, in both directions', () => {
  assert.equal(countMonths('2026-03', { year: 2026, month: 3 }), 0)
  assert.equal(countMonths('2026-01', { year: 2025, month: 11 }), -2)
  assert.equal(countMonths('2025-12', { year: 2026, month: 2 }), 2)
})

test('cells become typed rows', () => {
  assert.deepEqual(toRow(['Old Bridge', 'Aller', '1,204', '−12', 'normal']), {
    gauge: 'Old Bridge',
    river: 'Aller',
    level_cm: 1204,
    change_cm: -12,
    stage: 'normal',
  })
  assert.equal(toRow(['Mill', 'Aller', '–', '+3', 'unknown']).level_cm, null)
})

test('a gauge without a level is partial and named, no gauge is empty', () => {
  const rows = [
    ['Old Bridge', 'Aller', '204', '+2', 'normal'],
    ['Mill', 'Aller', '–', '–', 'unknown'],
  ].map(toRow)
  assert.deepEqual(judgeRows(rows).warnings, ['No level from Mill.'])
  assert.equal(judgeRows(rows).status, 'partial')
  assert.equal(judgeRows(rows.slice(0, 1)).status, 'ok')
  assert.equal(judgeRows([]).status, 'empty')
})
