import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ProgramRunner } from '../../src/documents/program-runner.ts'
import { openWorkFolder } from '../../src/documents/work-folder.ts'
import { makePdf } from './make-pdf.ts'

const PROGRAMS = '/usr/bin:/bin'

async function openPlace() {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-contained-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const [source, other] = [join(home, 'source.pdf'), join(home, 'other.pdf')]
  writeFileSync(source, await makePdf((pen) => pen.write('The document', 50, 50)))
  writeFileSync(other, await makePdf((pen) => pen.write('Another document', 50, 50)))
  const folder = await openWorkFolder(home, 'operation')
  const place = { folder, source, signal: new AbortController().signal }
  const runner = new ProgramRunner(PROGRAMS)
  const read = (...args: string[]) => runner.run({ program: 'pdftotext', args, timeoutMs: 60_000 }, place)
  return { home, source, other, folder, read }
}

test('folders of different homes have different marks, so that one daemon does not end the programs of another', async () => {
  const [one, other] = [await openPlace(), await openPlace()]
  expect(one.folder.mark).not.toBe(other.folder.mark)
})

test('a program that reads a document sees the document, and no other file of the home', async () => {
  const { source, other, read } = await openPlace()
  expect(await read(source, '-')).toContain('The document')
  await expect(read(other, '-')).rejects.toThrow('damaged')
})

test('a program that reads a document writes into its folder, and nowhere else', async () => {
  const { home, source, folder, read } = await openPlace()
  const [inside, outside] = [join(folder.path, 'text.txt'), join(home, 'text.txt')]
  await read(source, inside)
  expect(existsSync(inside)).toBe(true)
  // The folder of the home that the program sees is not the one of the machine.
  await read(source, outside)
  expect(existsSync(outside)).toBe(false)
  const before = readFileSync(source)
  await expect(read(source, source)).rejects.toThrow('damaged')
  expect(readFileSync(source).equals(before)).toBe(true)
})
