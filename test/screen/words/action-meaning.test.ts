import { expect, test } from 'vitest'
import { readActions, saysActions } from '../../../src/screen/words/actions/action-meaning.ts'

const says = (label: string, demonstrated: string): boolean => saysActions(label, readActions(demonstrated))

test('the same action is recognised in other languages and under other common words', () => {
  const add = 'Add to favourites'
  for (const label of ['Zu Favoriten hinzufügen', 'Ajouter aux favoris', 'お気に入りに追加', 'إضافة إلى المفضلة']) {
    expect(says(label, add), label).toBe(true)
  }
  expect(says('Edit name', 'Rename')).toBe(true)
  expect(says('Umbenennen', 'Edit name')).toBe(true)
  expect(says('名前を変更', 'Rename')).toBe(true)
  expect(says('Send for approval', 'Submit')).toBe(true)
  expect(says('Laden beenden', 'Stop charging')).toBe(true)
  expect(says('Silenciar', 'Mute')).toBe(true)
})

test('what takes something back is another action', () => {
  expect(says('Aus Favoriten entfernen', 'Add to favourites')).toBe(false)
  expect(says('Unpin', 'Pin')).toBe(false)
  expect(says('ピン留めを外す', 'Pin')).toBe(false)
  expect(says('取消收藏', 'Favourite')).toBe(false)
  expect(says('Stummschaltung aufheben', 'Mute')).toBe(false)
  expect(says('Don’t save', 'Save')).toBe(false)
  expect(says('Nicht mehr folgen', 'Follow')).toBe(false)
  expect(says('Aus den Favoriten nehmen', 'Favourite')).toBe(false)
})

test('a label without a known action, and a sentence, say nothing', () => {
  expect(says('Account', 'Account')).toBe(false)
  expect(readActions('We save what you add and you can remove it whenever you like')).toEqual([])
  expect(says('Delete', 'Rename')).toBe(false)
  expect(says('Saved', 'Save')).toBe(false)
})
