import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { Conversation, Interrupted } from '../../src/commands/terminal/conversation.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function openConversation(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80 })
  const chunks: string[] = []
  output.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
  // Only these parts of a terminal are used.
  const conversation = new Conversation(input as unknown as NodeJS.ReadStream, output as unknown as NodeJS.WriteStream)
  onTestFinished(() => conversation.close())
  const settle = () => new Promise((resolve) => setTimeout(resolve, 20))
  return { conversation, input, readOutput: () => chunks.join(''), settle }
}

test('without a terminal lines answer questions in order, and the end of the input means no', async () => {
  const { conversation, input, readOutput } = openConversation(false)
  expect(conversation.interactive).toBe(false)
  input.write('first\n  second  \n\nyes\nno\n')
  expect([await conversation.readLine(), await conversation.readLine()]).toEqual(['first', 'second'])
  expect(await conversation.confirm('Go?', true)).toBe(true)
  expect(await conversation.confirm('Go on?', false)).toBe(true)
  expect(await conversation.confirm('Still?', true)).toBe(false)
  expect(readOutput()).toBe('Go? [Y/n]\nGo on? [y/N]\nStill? [Y/n]\n')
  input.end()
  expect(await conversation.readLine()).toBeUndefined()
  expect(await conversation.confirm('Anybody?', true)).toBe(false)
})

test('on a terminal a line typed before a question does not answer it', async () => {
  const { conversation, input, settle } = openConversation(true)
  expect(conversation.interactive).toBe(true)
  input.write('y\n')
  await settle()
  const answer = conversation.confirm('Remove everything?', false)
  input.write('n\n')
  expect(await answer).toBe(false)
})

test('printing does not destroy a line that is being typed', async () => {
  const { conversation, input, readOutput, settle } = openConversation(true)
  const line = conversation.readLine('> ')
  input.write('mark ha')
  await settle()
  conversation.say('  1. Tap')
  const [, after] = readOutput().split('\r\u001B[2K  1. Tap\n')
  expect(after).toContain('> mark ha')
  input.write('lf\n')
  expect(await line).toBe('mark half')
})

test('an aborted read returns undefined, and the next read gets the line', async () => {
  const { conversation, input } = openConversation(false)
  const over = new AbortController()
  const line = conversation.readLine('> ', over.signal)
  over.abort()
  expect(await line).toBeUndefined()
  expect(await conversation.readLine('> ', over.signal)).toBeUndefined()
  input.write('later\n')
  expect(await conversation.readLine()).toBe('later')
})

test('Ctrl-C rejects the current read and all later ones, and close removes the signal handlers', async () => {
  const before = SIGNALS.map((signal) => process.listenerCount(signal))
  const { conversation, input } = openConversation(true)
  const waiting = conversation.ask('Well?')
  input.write('\u0003')
  await expect(waiting).rejects.toBeInstanceOf(Interrupted)
  expect(conversation.signal.aborted).toBe(true)
  await expect(conversation.readLine()).rejects.toBeInstanceOf(Interrupted)
  conversation.close()
  expect(SIGNALS.map((signal) => process.listenerCount(signal))).toEqual(before)
})
