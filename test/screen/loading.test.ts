import { expect, test } from 'vitest'
import { detectLoading } from '../../src/screen/loading.ts'
import { type Sketch, node, text } from './tree-builder.ts'
import { show } from './structure/toolkit-trees.ts'

const buttons = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    text(`Button ${index}`, { class: 'android.widget.Button', clickable: 'true' }),
  )
const detect = (sign: Sketch, controls: number) => detectLoading(show(node({}, sign, ...buttons(controls))))?.signal
const progress = (bounds: string) => node({ class: 'android.widget.ProgressBar', bounds })

test('a circle is a sign of loading, whatever else is on the screen', () => {
  const circle = progress('[500,500][600,600]')
  expect(detect(circle, 0)).toBe('progress_indicator')
  expect(detect(circle, 12)).toBe('progress_indicator')
})

test('a long bar is one only if there is little to touch', () => {
  const bar = progress('[40,300][1040,330]')
  expect(detect(bar, 2)).toBe('progress_indicator')
  expect(detect(bar, 12)).toBeUndefined()
})

test('"pending" is the state of something where there is much to touch; "loading" never is', () => {
  expect(detect(text('Pending'), 2)).toBe('loading_indicator')
  expect(detect(text('Pending'), 12)).toBeUndefined()
  expect(detect(text('Loading…'), 12)).toBe('loading_indicator')
})

test('the caption of a control is no sign of loading', () => {
  expect(detect(node({ clickable: 'true' }, text('Please wait')), 0)).toBeUndefined()
})
