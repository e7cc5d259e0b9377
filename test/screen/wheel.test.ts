import { expect, test } from 'vitest'
import { attribute } from '../../src/screen/tree/hierarchy.ts'
import { readWheel } from '../../src/screen/wheel.ts'
import { node, screen } from './tree-builder.ts'

/** A wheel that shows some numbers from the top, of which one is its value. */
function read(numbers: readonly number[], value: number) {
  const tree = screen(
    node(
      { class: 'android.widget.NumberPicker', bounds: '[0,0][200,450]' },
      ...numbers.map((number, at) =>
        node({
          class: `android.widget.${number === value ? 'EditText' : 'Button'}`,
          text: String(number),
          clickable: 'true',
          bounds: `[0,${at * 150}][200,${at * 150 + 150}]`,
        }),
      ),
    ),
  )
  const [root] = tree.roots
  const wheel = root && readWheel(root)
  const label = (part: 'increase' | 'decrease') => {
    const found = wheel?.[part]
    return found && attribute(found, 'text')
  }
  return wheel && [wheel.number, label('increase'), label('decrease')]
}

test('the values beside that of a wheel raise and lower it', () => {
  expect(read([7, 8, 9], 8)).toEqual([8, '9', '7'])
  expect(read([9, 8, 7], 8)).toEqual([8, '9', '7'])
  expect(read([22, 23, 0], 23)).toEqual([23, '0', '22'])
})

test('at an end of its range a wheel has one value beside its own', () => {
  expect(read([0, 1], 0)).toEqual([0, '1', undefined])
  expect(read([58, 59], 59)).toEqual([59, undefined, '58'])
})

test('a lone value is no wheel', () => {
  expect(read([5], 5)).toBeUndefined()
})
