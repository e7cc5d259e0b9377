import { describe, expect, test } from 'vitest'
import { type HostConnection, openPhone } from './host-client.ts'
import { attachments } from './rig.ts'
import { patternBytes } from './tiny-phone.ts'

const FILE_STAT = { mode: 0o644, mtime: 1_700_000_123 }

describe.each(attachments)('sync through $attachment', ({ rig: start }) => {
  test('STAT returns mode, size and time, and zeros for a missing file', async () => {
    const { target, phone } = await start()
    phone.files.write('/sdcard/note.txt', Buffer.from('hello'), FILE_STAT)
    const host = await openPhone(target, 'sync:')
    request(host, 'STAT', '/sdcard/note.txt')
    expect(await numbers(host, 'STAT', 3)).toEqual([0o100644, 5, 1_700_000_123])
    request(host, 'STAT', '/sdcard/other')
    expect(await numbers(host, 'STAT', 3)).toEqual([0, 0, 0])
    host.close()
  })

  test.each(['STA2', 'LST2'])('%s returns the long form, and error 2 for a missing file', async (id) => {
    const { target, phone } = await start()
    phone.files.write('/sdcard/note.txt', Buffer.from('hello'), FILE_STAT)
    const host = await openPhone(target, 'sync:')
    request(host, id, '/sdcard/note.txt')
    const known = await host.reader.take(72)
    expect(known?.toString('latin1', 0, 4)).toBe(id)
    expect(known?.readUInt32LE(4)).toBe(0)
    expect(known?.readUInt32LE(24)).toBe(0o100644)
    expect(known?.readBigUInt64LE(40)).toBe(5n)
    expect(known?.readBigInt64LE(56)).toBe(1_700_000_123n)
    request(host, id, '/sdcard/other')
    const missing = await host.reader.take(72)
    expect(missing?.readUInt32LE(4)).toBe(2)
    expect(missing?.readUInt32LE(24)).toBe(0)
    host.close()
  })

  test('LIST and LIS2 list the entries of a folder and end with DONE', async () => {
    const { target, phone } = await start()
    phone.files.write('/sdcard/a', Buffer.from('1'), FILE_STAT)
    phone.files.write('/sdcard/ü', Buffer.from('22'), FILE_STAT)
    const host = await openPhone(target, 'sync:')
    request(host, 'LIST', '/sdcard')
    const names: string[] = []
    for (;;) {
      const head = await host.reader.take(20)
      const id = head?.toString('latin1', 0, 4)
      if (head === undefined || id !== 'DENT') {
        expect(id).toBe('DONE')
        break
      }
      names.push((await host.reader.take(head.readUInt32LE(16)))?.toString() ?? '')
    }
    expect(names).toEqual(['a', 'ü'])
    request(host, 'LIS2', '/sdcard')
    const sizes: bigint[] = []
    for (;;) {
      const head = await host.reader.take(76)
      const id = head?.toString('latin1', 0, 4)
      if (head === undefined || id !== 'DNT2') {
        expect(id).toBe('DONE')
        break
      }
      sizes.push(head.readBigUInt64LE(40))
      await host.reader.take(head.readUInt32LE(72))
    }
    expect(sizes).toEqual([1n, 2n])
    host.close()
  })

  test.each([0, 1, 65_536, 65_537, 300_000])('a file of %i bytes is sent and received unchanged', async (size) => {
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

  test('a failed read or write returns its reason and the service continues', async () => {
    const { target, phone } = await start()
    phone.files.write('/sdcard/f', Buffer.from('x'), FILE_STAT)
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

  test('an unknown request and QUIT end the service', async () => {
    const { target } = await start()
    const invalid = await openPhone(target, 'sync:')
    request(invalid, 'WHAT', '')
    expect(await failure(invalid)).toBe("unknown command 'WHAT'")
    expect(await invalid.reader.take(1)).toBeUndefined()
    const quitting = await openPhone(target, 'sync:')
    request(quitting, 'QUIT', '')
    expect(await quitting.reader.take(1)).toBeUndefined()
  })

  test('an incomplete file is not written', async () => {
    const { target, phone } = await start()
    const host = await openPhone(target, 'sync:')
    request(host, 'SEND', '/sdcard/f,33188')
    request(host, 'DATA', 'half')
    host.socket.end()
    expect(await host.reader.take(1)).toBeUndefined()
    expect(phone.files.read('/sdcard/f')).toBeUndefined()
  })

  test('truncateAfter ends a file at the given byte', async () => {
    const { target, phone, faults } = await start()
    phone.files.write('/sdcard/f', patternBytes(200_000), FILE_STAT)
    faults.set({ truncateAfter: 100_000 })
    const host = await openPhone(target, 'sync:')
    request(host, 'RECV', '/sdcard/f')
    expect(await host.reader.take(100_000)).toBeDefined()
    expect(await host.reader.take(1)).toBeUndefined()
    host.close()
  })
})

function request(host: HostConnection, id: string, text: string | Buffer): void {
  const bytes = Buffer.from(text)
  const head = Buffer.alloc(8)
  head.write(id, 0, 'latin1')
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
    const id = head?.toString('latin1', 0, 4)
    if (head === undefined || id !== 'DATA') {
      if (id !== 'DONE') throw new Error(`${id} instead of the end of the file`)
      return Buffer.concat(parts)
    }
    parts.push((await host.reader.take(head.readUInt32LE(4))) ?? Buffer.alloc(0))
  }
}

async function numbers(host: HostConnection, id: string, count: number): Promise<number[]> {
  const frame = await host.reader.take(4 + 4 * count)
  expect(frame?.toString('latin1', 0, 4)).toBe(id)
  return Array.from({ length: count }, (_, at) => frame?.readUInt32LE(4 + 4 * at) ?? -1)
}

async function failure(host: HostConnection): Promise<string> {
  const head = await host.reader.take(8)
  expect(head?.toString('latin1', 0, 4)).toBe('FAIL')
  return (await host.reader.take(head?.readUInt32LE(4) ?? 0))?.toString() ?? ''
}
