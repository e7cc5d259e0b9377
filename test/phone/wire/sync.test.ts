import { describe, expect, test } from 'vitest'
import { type HostConnection, openPhone } from './host-client.ts'
import { arrangements } from './rig.ts'
import { patternBytes } from './tiny-phone.ts'

const fileStat = { mode: 0o644, mtime: 1_700_000_123 }

describe.each(arrangements)('sync through $face', ({ rig: start }) => {
  test('STAT tells mode, size and time, and zeros for what is not there', async () => {
    const { target, phone } = await start()
    phone.files.write('/sdcard/note.txt', Buffer.from('hello'), fileStat)
    const host = await openPhone(target, 'sync:')
    request(host, 'STAT', '/sdcard/note.txt')
    expect(await numbers(host, 'STAT', 3)).toEqual([0o100644, 5, 1_700_000_123])
    request(host, 'STAT', '/sdcard/other')
    expect(await numbers(host, 'STAT', 3)).toEqual([0, 0, 0])
    host.close()
  })

  test.each(['STA2', 'LST2'])(
    '%s tells the long form, and error 2 for what is not there',
    async (word) => {
      const { target, phone } = await start()
      phone.files.write('/sdcard/note.txt', Buffer.from('hello'), fileStat)
      const host = await openPhone(target, 'sync:')
      request(host, word, '/sdcard/note.txt')
      const known = await host.reader.take(72)
      expect(known?.toString('latin1', 0, 4)).toBe(word)
      expect(known?.readUInt32LE(4)).toBe(0)
      expect(known?.readUInt32LE(24)).toBe(0o100644)
      expect(known?.readBigUInt64LE(40)).toBe(5n)
      expect(known?.readBigInt64LE(56)).toBe(1_700_000_123n)
      request(host, word, '/sdcard/other')
      const missing = await host.reader.take(72)
      expect(missing?.readUInt32LE(4)).toBe(2)
      expect(missing?.readUInt32LE(24)).toBe(0)
      host.close()
    },
  )

  test('LIST and LIS2 name the entries of a folder and end with an empty one', async () => {
    const { target, phone } = await start()
    phone.files.write('/sdcard/a', Buffer.from('1'), fileStat)
    phone.files.write('/sdcard/ü', Buffer.from('22'), fileStat)
    const host = await openPhone(target, 'sync:')
    request(host, 'LIST', '/sdcard')
    const names: string[] = []
    for (;;) {
      const head = await host.reader.take(20)
      if (head?.toString('latin1', 0, 4) !== 'DENT') break
      names.push((await host.reader.take(head.readUInt32LE(16)))?.toString() ?? '')
    }
    expect(names).toEqual(['a', 'ü'])
    request(host, 'LIS2', '/sdcard')
    const sizes: bigint[] = []
    for (;;) {
      const head = await host.reader.take(76)
      if (head?.toString('latin1', 0, 4) !== 'DNT2') break
      sizes.push(head.readBigUInt64LE(40))
      await host.reader.take(head.readUInt32LE(72))
    }
    expect(sizes).toEqual([1n, 2n])
    host.close()
  })

  test.each([0, 1, 65_536, 65_537, 300_000])('%i bytes sent are received again', async (size) => {
    const { target, phone } = await start()
    const data = patternBytes(size)
    const host = await openPhone(target, 'sync:')
    await send(host, '/sdcard/f,33188', data)
    expect(await numbers(host, 'OKAY', 1)).toEqual([0])
    expect(phone.files.read('/sdcard/f')?.equals(data)).toBe(true)
    expect(phone.files.stat('/sdcard/f')).toEqual({ mode: 0o100644, size, mtime: 42 })
    request(host, 'RECV', '/sdcard/f')
    expect((await receive(host)).equals(data)).toBe(true)
    host.close()
  })

  test('what cannot be read or written fails with a reason and the conversation goes on', async () => {
    const { target, phone } = await start()
    phone.files.write('/sdcard/f', Buffer.from('x'), fileStat)
    const host = await openPhone(target, 'sync:')
    request(host, 'RECV', '/sdcard/other')
    expect(await failure(host)).toBe('open failed: No such file or directory')
    request(host, 'RECV', '/sdcard')
    expect(await failure(host)).toBe('open failed: Is a directory')
    await send(host, '/system/f,33188', Buffer.from('x'))
    expect(await failure(host)).toBe("couldn't create file: Read-only file system")
    expect(phone.files.read('/system/f')).toBeUndefined()
    request(host, 'RECV', '/sdcard/f')
    expect((await receive(host)).toString()).toBe('x')
    host.close()
  })

  test('a word that is no request ends the conversation, as does QUIT', async () => {
    const { target } = await start()
    const confused = await openPhone(target, 'sync:')
    request(confused, 'WHAT', '')
    expect(await failure(confused)).toBe("unknown command 'WHAT'")
    expect(await confused.reader.take(1)).toBeUndefined()
    const polite = await openPhone(target, 'sync:')
    request(polite, 'QUIT', '')
    expect(await polite.reader.take(1)).toBeUndefined()
  })

  test('a file cut half-way is not written', async () => {
    const { target, phone } = await start()
    const host = await openPhone(target, 'sync:')
    request(host, 'SEND', '/sdcard/f,33188')
    request(host, 'DATA', 'half')
    host.socket.end()
    expect(await host.reader.take(1)).toBeUndefined()
    expect(phone.files.read('/sdcard/f')).toBeUndefined()
  })

  test('truncateAfter stops a file at that byte', async () => {
    const { target, phone, faults } = await start()
    phone.files.write('/sdcard/f', patternBytes(200_000), fileStat)
    faults.set({ truncateAfter: 100_000 })
    const host = await openPhone(target, 'sync:')
    request(host, 'RECV', '/sdcard/f')
    expect(await host.reader.take(100_000)).toBeDefined()
    expect(await host.reader.take(1)).toBeUndefined()
    host.close()
  })
})

function request(host: HostConnection, word: string, text: string | Buffer): void {
  const bytes = Buffer.from(text)
  const head = Buffer.alloc(8)
  head.write(word, 0, 'latin1')
  head.writeUInt32LE(bytes.length, 4)
  host.socket.write(Buffer.concat([head, bytes]))
}

async function send(host: HostConnection, target: string, data: Buffer): Promise<void> {
  request(host, 'SEND', target)
  for (let at = 0; at < data.length; at += 65_536) {
    request(host, 'DATA', data.subarray(at, at + 65_536))
  }
  const done = Buffer.alloc(8)
  done.write('DONE', 0, 'latin1')
  done.writeUInt32LE(42, 4)
  host.socket.write(done)
}

async function receive(host: HostConnection): Promise<Buffer> {
  const parts: Buffer[] = []
  for (;;) {
    const head = await host.reader.take(8)
    const word = head?.toString('latin1', 0, 4)
    if (head === undefined || word !== 'DATA') {
      if (word !== 'DONE') throw new Error(`${word} instead of the end of the file`)
      return Buffer.concat(parts)
    }
    parts.push((await host.reader.take(head.readUInt32LE(4))) ?? Buffer.alloc(0))
  }
}

async function numbers(host: HostConnection, word: string, count: number): Promise<number[]> {
  const frame = await host.reader.take(4 + 4 * count)
  expect(frame?.toString('latin1', 0, 4)).toBe(word)
  return Array.from({ length: count }, (_, at) => frame?.readUInt32LE(4 + 4 * at) ?? -1)
}

async function failure(host: HostConnection): Promise<string> {
  const head = await host.reader.take(8)
  expect(head?.toString('latin1', 0, 4)).toBe('FAIL')
  return (await host.reader.take(head?.readUInt32LE(4) ?? 0))?.toString() ?? ''
}
