import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, onTestFinished, test, vi } from 'vitest'
import { streamEvents } from '@apprentice/contracts/admin/events.ts'
import { getEvidence, screenshotDevice } from '@apprentice/contracts/devices/device.ts'
import { createClient } from '@apprentice/contracts/client.ts'
import { cancelSession, createSession, streamSessionEvents } from '@apprentice/contracts/learn/sessions.ts'
import { uploadBundle } from '@apprentice/contracts/skills/imports.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { startNotes } from '../mcp/mcp-client.ts'
import { FIRST_NOTES, readNotes } from '../runs/run-kit.ts'
import { buildSkillDocument, buildZip } from '../skill-import/zip-builder.ts'

const ROOT = join(import.meta.dirname, '..', '..')

test('the example of the README runs an ability and prints its steps', async () => {
  const { daemon, url } = await startNotes()
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const example = /```ts\n(.+?)```/s.exec(readme)?.[1] ?? ''
  expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(20)
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-example-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const outfile = join(folder, 'example.mjs')
  const stdin = { contents: example, resolveDir: ROOT, loader: 'ts' } as const
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' })
  vi.stubEnv('APPRENTICE_URL', url)
  vi.stubEnv('APPRENTICE_TOKEN', adminToken)
  const print = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => {
    vi.unstubAllEnvs()
    print.mockRestore()
  })
  await import(/* @vite-ignore */ outfile)
  const printed = print.mock.calls.map(([first]) => String(first))
  expect(printed).toContain('ability.run.step_finished')
  expect(print.mock.calls.at(-1)).toEqual(['success', 'Two bottles'])
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES + 1)
})

test('a picture is downloaded, a bundle is uploaded, and a refusal has its code', async () => {
  const { url } = await startNotes()
  const client = createClient({ baseUrl: url, token: adminToken })
  const serial = 'SIMULATED01'
  const { screenshot } = await client(screenshotDevice, { params: { serial }, body: {} })
  const picture = await client.download(getEvidence, { params: { evidenceId: screenshot.evidence_id } })
  expect(picture.media).toBe('image/png')
  expect([...picture.bytes.subarray(1, 4)]).toEqual([...Buffer.from('PNG')])
  expect(client.address(getEvidence, { params: { evidenceId: screenshot.evidence_id } })).toBe(
    `${url}${screenshot.url}`,
  )
  const missing = client.download(getEvidence, { params: { evidenceId: crypto.randomUUID() } })
  await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })

  const form = new FormData()
  const bundle = buildZip([{ name: 'SKILL.md', content: buildSkillDocument() }])
  form.set('bundle', new Blob([bundle], { type: 'application/zip' }), 'tidy-notes.zip')
  const parts: number[] = []
  const uploaded = await client.upload(uploadBundle, { form, onProgress: (part) => parts.push(part) })
  expect([uploaded.accepted, parts]).toEqual([true, [1]])
  const wrong = new FormData()
  wrong.set('bundle', new Blob(['text'], { type: 'text/plain' }), 'notes.txt')
  await expect(client.upload(uploadBundle, { form: wrong })).rejects.toMatchObject({
    code: expect.stringMatching(/^SKILL_IMPORT_/),
  })
})

test('a stream is typed, ends when its session is over, and goes on after a lost connection', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const client = createClient({ baseUrl: url, token: adminToken })
  const { session } = await client(createSession, { body: { entry_mode: 'demonstrating_skill' } })
  const params = { sessionId: session.learn_session_id }
  await client(cancelSession, { params, body: {} })
  const kinds: string[] = []
  for await (const { data } of client.stream(streamSessionEvents, { params })) kinds.push(data.event_kind)
  expect(kinds.at(-1)).toBe('learn.session.cancelled')

  const all: string[] = []
  for await (const { id } of client.stream(streamEvents, { query: { follow: 'false' } })) all.push(id)
  // Each connection is cut after one event.
  const cutting = createServer((request, reply) => {
    void answerOneEvent(`${url}${request.url}`, request.headers as Record<string, string>, reply)
  })
  await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void cutting.close())
  const { port } = cutting.address() as { port: number }
  const seen: string[] = []
  const lossy = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: adminToken })
  for await (const { id } of lossy.stream(streamEvents, { query: { follow: 'false' } })) seen.push(id)
  expect(seen).toEqual(all)
})

async function answerOneEvent(url: string, headers: Record<string, string>, reply: ServerResponse): Promise<void> {
  const answer = await fetch(url, { headers })
  reply.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  const [retry, first] = (await answer.text()).split('\n\n')
  reply.end(first === undefined || first === '' ? '' : `${retry}\n\n${first}\n\n`)
}
