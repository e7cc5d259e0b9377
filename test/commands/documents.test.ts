import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { drawCells, makePdf } from '../documents/make-pdf.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { runProgram } from './program.ts'

test('documents are added, listed and read on the command line', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const cells = [
    ['Item', 'Count'],
    ['Pen', '3'],
    ['Ink', '4'],
  ]
  writeFileSync(join(folder, 'list.pdf'), await makePdf((pen) => drawCells(pen, cells)))
  const run = (...args: string[]) => runProgram(['documents', ...args, '--url', url], { APPRENTICE_TOKEN: adminToken })
  const ref = (await run('add', join(folder, 'list.pdf'), '--class', 'internal')).stdout.trim()
  expect(ref).toMatch(/^doc_/)
  expect((await run('list')).stdout).toMatch(new RegExp(`${ref}  application/pdf  internal  list\\.pdf`))
  expect((await run('text', ref)).stdout).toContain('Pen')
  expect((await run('tables', ref)).stdout).toBe('Item,Count\r\nPen,3\r\nInk,4\r\n')
  const file = join(folder, 'tables.json')
  await run('tables', ref, '--json', '-o', file)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ tables: [{ cells }] })
  const refused = await run('redact', ref, 'email')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('approve')
  expect((await run('text', ref, '--pages', '3-1')).stderr).toContain('Expected ascending pages')
})
