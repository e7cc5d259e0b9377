import { expect, test } from 'vitest'
import { readDialogText } from '../../src/screen/dialog.ts'
import { node, screen, text } from './tree-builder.ts'

const window = { bounds: '[60,800][1020,1500]' }
const inside = { bounds: '[100,900][980,1000]' }

test('a window that does not start at the corner is a dialog', () => {
  const texts = [text('Update\n ready', inside), text('Version 2', inside), text('Later', inside)]
  expect(readDialogText(screen(node(window, ...texts)))).toBe('Update ready: Version 2')
})

test.each(['android:id/alertTitle', 'android:id/aerr_wait', 'com.x:id/permission_message'])(
  'so is a whole screen with a part called %s',
  (id) => {
    expect(readDialogText(screen(node({}, text('Allow?', { 'resource-id': id }))))).toBe('Allow?')
  },
)

test('an ordinary screen and a dialog without text have no dialog text', () => {
  expect(readDialogText(screen(node({}, text('Home'))))).toBeUndefined()
  expect(readDialogText(screen(node(window, node(inside))))).toBeUndefined()
})

test('password text is omitted, and long text is truncated', () => {
  const secret = text('hunter2', { ...inside, password: 'true' })
  expect(readDialogText(screen(node(window, secret, text('Sign in', inside))))).toBe('Sign in')
  expect(readDialogText(screen(node(window, text('x'.repeat(500), inside))))).toHaveLength(160)
})
