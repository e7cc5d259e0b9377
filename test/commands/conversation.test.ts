import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { Conversation, Interrupted } from '../../src/commands/terminal/conversation.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function sit(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80 })
  const said: string[] = []
  output.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  // Only these parts of a terminal are used.
  const talk = new Conversation(
    input as unknown as NodeJS.ReadStream,
    output as unknown as NodeJS.WriteStream,
  )
  onTestFinished(() => talk.close())
  const turn = () => new Promise((resolve) => setTimeout(resolve, 20))
  return { talk, input, said: () => said.join(''), turn }
}

test('lines of a program answer one after the other, and none is no consent', async () => {
  const { talk, input, said } = sit(false)
  expect(talk.interactive).toBe(false)
  input.write('first\n  second  \n\nyes\nno\n')
  expect([await talk.command(), await talk.command()]).toEqual(['first', 'second'])
  expect(await talk.confirm('Go?', true)).toBe(true)
  expect(await talk.confirm('Go on?', false)).toBe(true)
  expect(await talk.confirm('Still?', true)).toBe(false)
  expect(said()).toBe('Go? [Y/n]\nGo on? [y/N]\nStill? [Y/n]\n')
  input.end()
  expect(await talk.command()).toBeUndefined()
  expect(await talk.confirm('Anybody?', true)).toBe(false)
})

test('at a terminal what was typed before a question is no answer to it', async () => {
  const { talk, input, turn } = sit(true)
  expect(talk.interactive).toBe(true)
  input.write('y\n')
  await turn()
  const answer = talk.confirm('Remove everything?', false)
  input.write('n\n')
  expect(await answer).toBe(false)
})

test('what is said does not destroy a line that is being typed', async () => {
  const { talk, input, said, turn } = sit(true)
  const line = talk.command('> ')
  input.write('mark ha')
  await turn()
  talk.say('  1. Tap')
  const [, after] = said().split('\r\u001B[2K  1. Tap\n')
  expect(after).toContain('> mark ha')
  input.write('lf\n')
  expect(await line).toBe('mark half')
})

test('a line that is no longer wanted is not waited for, and comes to the next who asks', async () => {
  const { talk, input } = sit(false)
  const over = new AbortController()
  const line = talk.command('> ', over.signal)
  over.abort()
  expect(await line).toBeUndefined()
  expect(await talk.command('> ', over.signal)).toBeUndefined()
  input.write('later\n')
  expect(await talk.command()).toBe('later')
})

test('Ctrl-C ends what waits and everything asked afterwards, and leaves nothing behind', async () => {
  const before = signals.map((signal) => process.listenerCount(signal))
  const { talk, input } = sit(true)
  const waiting = talk.ask('Well?')
  input.write('\u0003')
  await expect(waiting).rejects.toBeInstanceOf(Interrupted)
  expect(talk.signal.aborted).toBe(true)
  await expect(talk.command()).rejects.toBeInstanceOf(Interrupted)
  talk.close()
  expect(signals.map((signal) => process.listenerCount(signal))).toEqual(before)
})
