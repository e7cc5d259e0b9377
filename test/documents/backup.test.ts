import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { backup } from '../../src/commands/backup/backup.ts'
import { restore } from '../../src/commands/backup/restore.ts'
import { startDaemon } from '../kit/daemon.ts'
import { addDocument, readDocument, runOperation } from './document-kit.ts'
import { makePdf } from './make-pdf.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('documents and what was read from them are in a backup, working folders are not', async () => {
  const daemon = await startDaemon()
  const pdf = await makePdf((pen) => pen.write('Kept text', 50, 50))
  const { document_ref } = await addDocument(daemon, pdf)
  const { output_ref = '' } = await runOperation(daemon, 'extract_text', document_ref)
  mkdirSync(join(daemon.home, 'document-work', 'some-operation'), { recursive: true })
  writeFileSync(join(daemon.home, 'document-work', 'some-operation', 'page.png'), 'x')
  const [saved, home] = [makeFolder(), makeFolder()]
  const { files } = await backup(daemon.home, saved, { withSecrets: false })
  expect(files.filter(({ path }) => path.startsWith('document')).map(({ path }) => path.split('/')[0])).toEqual([
    'documents',
    'documents',
    'documents',
  ])
  await restore(saved, home, { withSecrets: false, now: '2026-03-01T12:00:00.000Z' })
  const restored = await startDaemon({ home })
  expect((await readDocument(restored, document_ref)).rawPayload.equals(pdf)).toBe(true)
  expect((await readDocument(restored, output_ref)).body).toContain('Kept text')
  expect((await runOperation(restored, 'extract_text', document_ref)).status).toBe('ok')
})

test('the nightly job removes contents that no document has, and leaves new ones', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, await makePdf((pen) => pen.write('Here', 50, 50)))
  const { storage, isReferenced } = daemon.system.documents
  const { sha256 } = await storage.write(['nobody has this'])
  // It was written just now, so its row may still come.
  expect(await storage.sweep(isReferenced)).toBe(0)
  const folder = join(daemon.home, 'documents', sha256.slice(0, 2))
  const old = new Date(Date.now() - 2 * 3_600_000)
  const { utimesSync, existsSync } = await import('node:fs')
  utimesSync(join(folder, sha256), old, old)
  expect(await storage.sweep(isReferenced)).toBe(1)
  expect(existsSync(join(folder, sha256))).toBe(false)
  expect((await readDocument(daemon, document_ref)).statusCode).toBe(200)
})
