import { expect, test } from 'vitest'
import { isAkin, saysAnotherAction, saysOpposite } from '../../../src/screen/words/actions/other-label.ts'

const another = (label: string, instead: string): boolean => saysAnotherAction(label, instead, false)

test('a label that takes back, sends or pays what the other one did not is another action', () => {
  for (const [label, instead] of [
    ['Mark as returned', 'Lend to somebody'],
    ['Return item', 'Lend to somebody'],
    ['Leave group', 'Join group'],
    ['Disconnect', 'Connect'],
    ['Mark as unread', 'Mark as read'],
    ['Mark as not watched', 'Mark as watched'],
    ['Nicht als erledigt melden', 'Als erledigt melden'],
    ['Ne pas suivre', 'Suivre'],
    ['Sign out', 'Account'],
    ['Pay now', 'Continue'],
    ['Send', 'Preview'],
  ] as const) {
    expect(another(label, instead), `${label} for ${instead}`).toBe(true)
  }
})

test('a label that says the state which the other one brings about is another action', () => {
  expect(another('Subscribed', 'Subscribe')).toBe(true)
  expect(another('Following', 'Follow')).toBe(true)
  expect(another('Abonniert', 'Abonnieren')).toBe(true)
  expect(another('Guardado', 'Guardar')).toBe(true)
  expect(another('Mark as done', 'Start')).toBe(true)
})

test('another wording of the same action is no other action', () => {
  for (const [label, instead] of [
    ['Checkout', 'Place order'],
    ['Mark as solved', 'Solve'],
    ['Unpair device', 'Forget device'],
    ['Send for approval', 'Submit report'],
    ['Change room', 'Move to another room'],
    ['Sound & vibration', 'Sounds and vibration'],
    ['Write', 'New note'],
    ['Add to diary', 'Save feeding'],
    ['Bookings', 'My bookings'],
    ['Leave a review', 'Write a review'],
  ] as const) {
    expect(another(label, instead), `${label} for ${instead}`).toBe(false)
  }
})

test('a label that says "not" to what the other one says is its opposite', () => {
  expect(saysOpposite('Mark as not watched', 'Mark as watched')).toBe(true)
  expect(saysOpposite('Do not repeat', 'Save')).toBe(false)
  expect(another('Do not repeat', 'Save')).toBe(false)
  expect(another('No, keep it', 'Do not keep it')).toBe(false)
})

test('in another language only actions that both labels name are compared', () => {
  expect(saysAnotherAction('Senden', 'Post', true)).toBe(false)
  expect(saysAnotherAction('Senden', 'Save', true)).toBe(true)
  expect(saysAnotherAction('Zurückgeben', 'Lend', true)).toBe(true)
})

test('labels are akin if they share a word or an action', () => {
  expect(isAkin('New time', 'Add time')).toBe(true)
  expect(isAkin('Sound & vibration', 'Sounds and vibration')).toBe(true)
  expect(isAkin('Change name', 'Rename')).toBe(true)
  expect(isAkin('New entry', 'Submit week')).toBe(false)
  expect(isAkin('Share with the team', 'Pin with the others')).toBe(false)
})

test.each([
  ['Unmute', 'Mute', true],
  ['Remove from favourites', 'Add to favourites', true],
  ['Stop timer', 'Start timer', true],
  ['Aus Favoriten entfernen', 'Zu Favoriten hinzufügen', true],
  ['Remove photo', 'Mute', false],
  ['Cancel', 'Book', false],
  ['Mute', 'Mute', false],
  ['Mute calls', 'Mute', false],
])('"%s" is the opposite of "%s": %s', (label, other, expected) => {
  expect(saysOpposite(label, other)).toBe(expected)
})
