import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readAppCatalog } from '@apprentice/phone/phone.ts'

const DOCUMENT = {
  package: 'com.example.notes',
  label: 'Notes',
  version: { name: '1', code: 1 },
  launch_screen: 'home',
  screens: { home: { content: [{ type: 'text', text: 'Empty' }] } },
}

function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-catalog-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'notes.json')
  return { folder, write: (document: object) => writeFileSync(file, JSON.stringify(document)) }
}

test('an unchanged document is checked once, and nobody can change it', () => {
  const { folder, write } = createFolder()
  write(DOCUMENT)
  const [first] = readAppCatalog([folder]).documents
  const [second] = readAppCatalog([folder]).documents
  expect(second).toBe(first)
  expect(Object.isFrozen(first?.screens['home']?.content)).toBe(true)
})

test('a changed document is read again, also if it became faulty', () => {
  const { folder, write } = createFolder()
  write(DOCUMENT)
  readAppCatalog([folder])
  write({ ...DOCUMENT, version: { name: '2', code: 2 } })
  expect(readAppCatalog([folder]).documents).toMatchObject([{ version: { code: 2 } }])
  write({ ...DOCUMENT, launch_screen: 'missing' })
  const faulty = readAppCatalog([folder])
  expect([faulty.documents, faulty.reports.length]).toEqual([[], 1])
})

test('a changed tree file of a document is read again', () => {
  const { folder, write } = createFolder()
  const tree = (text: string) =>
    `<hierarchy rotation="0"><node index="0" text="${text}" class="android.widget.TextView" package="com.example.notes" bounds="[0,0][100,100]" /></hierarchy>`
  write({ ...DOCUMENT, screens: { home: { tree: 'home.xml' } } })
  const read = () => {
    const { documents, reports } = readAppCatalog([folder])
    expect(reports).toEqual([])
    return documents[0]?.screens['home']?.tree
  }
  writeFileSync(join(folder, 'home.xml'), tree('one'))
  const before = read()
  writeFileSync(join(folder, 'home.xml'), tree('two'))
  expect(read()).not.toEqual(before)
})
