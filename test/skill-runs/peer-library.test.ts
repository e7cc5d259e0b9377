import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { FIRST_NOTES, readNotes } from '../runs/run-kit.ts'
import { startDaemon } from '../kit/daemon.ts'
import { connectClient } from '../mcp/mcp-client.ts'
import { ADD_NOTE_SCRIPT, SHARED_LIBRARY, SHARED_RESULT } from './peer-library.ts'
import { createRunClient, createSkillRoot, writeSkill } from './skill-daemon.ts'

const ADD_NOTE = 'org.apprentice.notes.add-note'

/** A repository of skills whose package is of another module type than its scripts. */
function createRepository(): string {
  const root = createSkillRoot()
  writeFileSync(join(dirname(root), 'package.json'), JSON.stringify({ type: 'module' }))
  for (const [folder, file, text] of [
    ['utils', 'common.js', SHARED_LIBRARY],
    ['shared', 'result.js', SHARED_RESULT],
  ] as const) {
    mkdirSync(join(root, folder))
    writeFileSync(join(root, folder, file), text)
  }
  writeSkill(root, ADD_NOTE, {
    scripts: { 'run.js': ADD_NOTE_SCRIPT },
    document: {
      applicationId: 'org.apprentice.notes',
      intent: 'add-note',
      summary: 'Write a note',
      contract: {
        inputs: { title: 'string' },
        goal: { kind: 'note_exists' },
        verification: { kind: 'node_text_matches', matcher: '{title}' },
      },
    },
  })
  return root
}

test("a skill with the peer's shared library runs contained, with all spellings, and the screen verifies it", async () => {
  const root = createRepository()
  const config = { phone: 'simulated', skillRoots: [dirname(root)] } as const
  const daemon = await startDaemon({ quick: true, config })
  const { url } = await daemon.listen()
  const serial = daemon.system.devices.phone.simulated?.serial ?? ''
  await expect
    .poll(async () => (await daemon.get('/api/devices')).json())
    .toMatchObject({ devices: [{ serial, state: 'device' }] })
  const { run } = createRunClient(daemon)
  const settled = await run({ serial, args: ['From the peer'], runtime_verification: true }, ADD_NOTE)

  expect(settled, settled.stdout.text + settled.stderr.text).toMatchObject({
    state: 'success',
    containment: 'bubblewrap',
    outcome: { verification: { source: 'runtime', status: 'verified', observed: 'From the peer' } },
  })
  expect(JSON.parse(settled.stdout.text.split('\n')[0] ?? '')).toEqual({
    looks: [true, true],
    shots: ['PNG', 'PNG'],
    program: true,
  })
  expect(settled.execution_ids).toHaveLength(12)
  expect(readNotes(daemon).slice(FIRST_NOTES)).toEqual([{ title: 'From the peer', body: '' }])

  const client = await connectClient(url)
  const again = { skill_id: ADD_NOTE, serial, arguments: ['Over MCP'] }
  expect((await client.callTool({ name: 'run_skill', arguments: again })).structuredContent).toMatchObject({
    state: 'success',
    outcome: { verification: { status: 'verified', observed: 'Over MCP' } },
  })
  expect(readNotes(daemon).at(-1)).toEqual({ title: 'Over MCP', body: '' })
})
