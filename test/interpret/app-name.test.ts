import { expect, test } from 'vitest'
import { nameApp } from '../../src/knowledge/text/app-name.ts'

test.each([
  ['org.apprentice.notes', 'Notes'],
  ['com.example.notes.app', 'Notes'],
  ['com.google.android.apps.docs_viewer', 'Docs viewer'],
  ['com.android.app', 'App'],
  ['notes', 'notes'],
])('%s is called %s', (id, name) => {
  expect(nameApp(id)).toBe(name)
})
