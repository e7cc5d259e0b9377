import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type MeasureOptions, measureVirtualApp } from './virtual-app.ts'

const PACKAGE = 'com.example.lamp'

const DOCUMENT = {
  package: PACKAGE,
  label: 'Lamp',
  version: { name: '1', code: 1 },
  saved: { on: false, level: 3 },
  launch_screen: 'home',
  screens: {
    home: {
      title: 'Lamp',
      content: [
        { type: 'text', text: 'Living room' },
        { type: 'switch', id: 'power', text: 'Night light', bind: 'saved.on' },
      ],
    },
  },
}

const LESSON = {
  name: 'switch',
  goal: 'Switch the night light on',
  prepare: { on: false },
  demonstration: [{ tap: 'Night light' }],
  end: 'saved.on == true',
  variations: [
    { name: 'same', kind: 'same', expect: 'success', end: 'saved.on == true' },
    { name: 'on', kind: 'already_done', prepare: { on: true }, expect: 'success', end: 'saved.on == true' },
  ],
}

/** Teaches the lesson to the interpreter and runs its variations. */
async function measure(change: object, options: MeasureOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-lesson-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = { package: PACKAGE, style: 'view', about: 'A lamp.', lessons: [{ ...LESSON, ...change }] }
  writeFileSync(join(folder, 'lamp.json'), JSON.stringify(DOCUMENT))
  writeFileSync(join(folder, 'lamp.lessons.json'), JSON.stringify(file))
  const [result = expect.fail('no lesson')] = await measureVirtualApp(
    { set: 'work', name: 'lamp', path: join(folder, 'lamp') },
    options,
  )
  return result
}

test('a lesson is learned and runs in another state without real time', async () => {
  const runs: string[] = []
  const result = await measure(
    {},
    { observer: { onRun: (_lesson, { name }, run) => runs.push(`${name}: ${run.state}`) } },
  )
  expect(result).toMatchObject({ failure: undefined, appNamed: true })
  expect(result.pairs).toMatchObject([
    { variation: 'same', verdict: 'right', falseSuccess: false, harm: false },
    { variation: 'on', verdict: 'right', falseSuccess: false, harm: false },
  ])
  expect(runs).toEqual(['same: success', 'on: success'])
})

test('a run that claims success although the wanted end does not hold is a false success', async () => {
  const [same] = LESSON.variations
  const { pairs } = await measure({ variations: [{ ...same, end: 'saved.level == 9' }] })
  expect(pairs).toMatchObject([{ verdict: 'false_success', falseSuccess: true }])
})

test('a demonstration that does not reach its end is not learned', async () => {
  const result = await measure({ end: 'saved.level == 9' })
  expect(result.failure).toBe('the demonstration did not reach its end')
  expect(result.pairs.map(({ verdict }) => verdict)).toEqual(['not_learnable', 'not_learnable'])
})
