import { expect, onTestFinished, test, vi } from 'vitest'
import { createProgram } from '../../src/commands/program.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'

test('the command prints events, follows new ones and filters by kind', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  let printed = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text)
    return true
  })
  onTestFinished(() => write.mockRestore())
  const run = async (...args: string[]) => {
    const program = await createProgram('events')
    await program.parseAsync(['events', '--url', url, '--token', adminToken, ...args], { from: 'user' })
  }
  const created = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
  const { session } = created.json<{ session: { learn_session_id: string } }>()
  await run('--json', '--kind', 'learn.session.started')
  expect(
    printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { event_kind: 'learn.session.started', subject: `learn/${session.learn_session_id}`, user_id: 'local' },
  ])

  printed = ''
  const following = run('--follow', '--all', '--kind', 'learn.session.')
  await daemon.post(`/api/learn/sessions/${session.learn_session_id}/cancel`)
  await expect.poll(() => printed).toContain('learn.session.cancelled')
  process.emit('SIGINT')
  await following
})
