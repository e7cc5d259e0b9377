import { expect, test } from 'vitest'
import { askToWrite, connectTools, readCall, waitForEnd } from '../connectors/call-kit.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { runProgram, startProgram } from './program.ts'

test('calls that wait are listed, approved and denied on the command line, and the key of the vault is replaced', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const { url } = await daemon.listen()
  const [first, second] = [
    await askToWrite(daemon, server_id, { why_needed: 'To answer Ada.' }),
    await askToWrite(daemon, server_id),
  ]
  const run = async (...args: string[]) => {
    const result = await runProgram([...args, '--url', url], { APPRENTICE_TOKEN: adminToken })
    expect(result.code, result.stderr).toBe(0)
    return result.stdout
  }
  const watching = startProgram(['approvals', 'watch', '--url', url], { APPRENTICE_TOKEN: adminToken })
  await watching.waitForOutput(second)
  const listed = await run('approvals', 'list')
  expect(listed).toContain(first)
  expect(listed).toContain('write_note of Notes server without arguments. To answer Ada.')
  expect(await run('approvals', 'approve', first, '--reason', 'It is fine.')).toContain('approved_once')
  expect(await waitForEnd(daemon, first)).toMatchObject({ status: 'succeeded' })
  expect(await run('approvals', 'deny', second)).toContain('denied')
  expect(await readCall(daemon, second)).toMatchObject({ status: 'denied' })
  expect(remote.calls).toEqual(['write_note'])
  expect(JSON.parse(await run('vault', 'rotate', '--json'))).toMatchObject({ entries: 1 })
  const late = await askToWrite(daemon, server_id)
  await watching.waitForOutput(late)
  await run('approvals', 'deny', late)
  await watching.waitForOutput(`denied    ${late}`)
  const { stdout } = await watching.terminate()
  const lines = stdout.trim().split('\n')
  for (const [id, states] of Object.entries({
    [first]: ['pending', 'approved'],
    [second]: ['pending', 'denied'],
    [late]: ['pending', 'denied'],
  })) {
    expect(lines.filter((line) => line.includes(id)).map((line) => line.split(' ')[0])).toEqual(states)
  }
  expect(remote.calls).toEqual(['write_note'])
})
