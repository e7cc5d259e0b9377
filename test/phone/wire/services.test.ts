import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { eventually } from './polling.ts'
import { type HostConnection, askHost, openHost, openPhone, readAll, readShell, shell } from './host-client.ts'
import { attachments } from './rig.ts'
import { patternBytes } from './tiny-phone.ts'

describe.each(attachments)('through $attachment', ({ rig: start }) => {
  test('the phone is listed as a device with its banner and features', async () => {
    const { target, phone } = await start()
    expect(await askHost(target.port, 'host:devices')).toBe(`${target.serial}\tdevice\n`)
    expect(await askHost(target.port, 'host:devices-l')).toBe(
      `${target.serial.padEnd(22)} device product:tiny_product model:Tiny_Phone__one_ device:tiny transport_id:1\n`,
    )
    const features = await askHost(target.port, `host-serial:${target.serial}:features`)
    expect(features.split(',').toSorted()).toEqual([...phone.features].toSorted())
  })

  test('unsupported features are not announced', async () => {
    const { target } = await start({ features: ['shell_v2', 'delayed_ack', 'sendrecv_v2'] })
    expect(await askHost(target.port, 'host:features')).toBe('shell_v2')
  })

  test('a shell_v2 command has separate stdout, stderr and exit code', async () => {
    const { target, phone } = await start()
    const result = await shell(target, 'echo out; warn careful; exit 7')
    expect(result.stdout.toString()).toBe('out\n')
    expect(result.stderr.toString()).toBe('careful\n')
    expect(result.code).toBe(7)
    expect(phone.ran).toEqual(['echo out; warn careful; exit 7'])
  })

  test('a command that throws exits with 255 and prints the error', async () => {
    const { target } = await start()
    const result = await shell(target, 'crash')
    expect(result.code).toBe(255)
    expect(result.stderr.toString()).toContain('out of order')
  })

  test('3 MB of output arrive unchanged', async () => {
    const { target } = await start()
    const result = await shell(target, 'bytes 3000000')
    expect(result.code).toBe(0)
    expect(result.stdout.equals(patternBytes(3_000_000))).toBe(true)
  })

  test('a command reads stdin to its end while the stream stays open', async () => {
    const { target } = await start()
    const input = patternBytes(400_000)
    const result = await shell(target, 'cat', input)
    expect(result.stdout.equals(input)).toBe(true)
    expect(result.code).toBe(0)
  })

  test('an empty command starts a shell that reads lines from stdin', async () => {
    const { target } = await start()
    const result = await shell(target, '', Buffer.from('echo one\necho two\nexit 3\n'))
    expect(result.stdout.toString()).toBe('one\ntwo\n')
    expect(result.code).toBe(3)
  })

  test('empty stdin packets are ignored', async () => {
    const { target, phone } = await start()
    const host = await openPhone(target, 'shell,v2,raw:sleep 30')
    for (let count = 0; count < 40; count += 1) host.socket.write(Buffer.alloc(5 * 500))
    await eventually(() => phone.running).toBe(1)
    host.close()
    await eventually(() => phone.running).toBe(0)
    expect(phone.ran).toEqual(['sleep 30'])
  })

  test('legacy shell and exec send one raw stream without exit code', async () => {
    const { target } = await start()
    for (const service of ['shell:', 'exec:']) {
      const host = await openPhone(target, `${service}echo out; warn careful; exit 7`)
      expect((await readAll(host)).toString()).toBe('out\ncareful\n')
      host.close()
    }
  })

  test('a command ends when its client disconnects', async () => {
    const { target, phone } = await start()
    const host = await openPhone(target, 'shell,v2,raw:sleep 30')
    await eventually(() => phone.running).toBe(1)
    host.close()
    await eventually(() => phone.running).toBe(0)
    expect(phone.ran).toEqual(['sleep 30'])
  })

  test('concurrent commands have separate results', async () => {
    const { target } = await start()
    const numbers = Array.from({ length: 12 }, (_, number) => number)
    const results = await Promise.all(
      numbers.map((number) => shell(target, `sleep 0.02; echo ${number}; exit ${number}`)),
    )
    expect(results.map((result) => result.code)).toEqual(numbers)
    expect(results.map((result) => Number(result.stdout.toString()))).toEqual(numbers)
  })

  test('an unknown service is closed and an unknown serial is not found', async () => {
    const { target } = await start()
    await expect(openPhone(target, 'nonsense:')).rejects.toThrow(/^closed$/)
    await expect(openPhone({ ...target, serial: 'other' }, 'shell:true')).rejects.toThrow(/^device 'other' not found$/)
  })

  test('tport returns the transport id', async () => {
    const { target } = await start()
    const host = await openPhoneByTport(target.port, `host:tport:serial:${target.serial}`)
    expect(host.id).toBe(1n)
    host.connection.close()
  })

  test('wait-for-any-disconnect ends when the phone disconnects', async () => {
    const { target, faults, cut } = await start()
    const waiting = await openRequest(target, 'wait-for-any-disconnect')
    let settled = false
    const gone = waiting.status().then((failure) => {
      settled = true
      return failure
    })
    await sleep(150)
    expect(settled).toBe(false)
    faults.set({ muteConnect: true })
    cut()
    expect(await gone).toBeUndefined()
    waiting.close()
  })
})

describe.each(attachments)('faults through $attachment', ({ rig: start }) => {
  test('muteConnect: the phone is offline', async () => {
    const { target, faults, cut } = await start()
    faults.set({ muteConnect: true })
    cut()
    const list = () => askHost(target.port, 'host:devices')
    await eventually(list).toBe(`${target.serial}\toffline\n`)
    await expect(openPhone(target, 'shell:true')).rejects.toThrow(/^device offline$/)
  })

  test('unauthorized: the phone is listed as unauthorized until the fault is cleared', async () => {
    const { target, faults, cut } = await start()
    faults.set({ unauthorized: true })
    cut()
    const list = () => askHost(target.port, 'host:devices')
    await eventually(list).toBe(`${target.serial}\tunauthorized\n`)
    await expect(openPhone(target, 'shell:true')).rejects.toThrow(/^device unauthorized\.\n/)
    faults.clear()
    await eventually(list).toBe(`${target.serial}\tdevice\n`)
    expect((await shell(target, 'exit 7')).code).toBe(7)
  })

  test('cut: a running command ends without exit code', async () => {
    const { target, phone, cut } = await start()
    const host = await openPhone(target, 'shell,v2,raw:echo ready; sleep 30')
    await eventually(() => phone.running).toBe(1)
    expect((await host.reader.take(11))?.toString('latin1', 5)).toBe('ready\n')
    cut()
    const result = await readShell(host)
    expect(result.code).toBeUndefined()
    expect(result.stdout).toHaveLength(0)
    await eventually(() => phone.running).toBe(0)
    host.close()
  })

  test('freeze: the answer is delayed until the fault is cleared', async () => {
    const { target, faults } = await start()
    faults.set({ freeze: true })
    const answer = shell(target, 'echo late; exit 7')
    expect(await settledWithin(answer, 200)).toBe(false)
    faults.clear()
    expect(await answer).toMatchObject({ code: 7, stdout: Buffer.from('late\n') })
  })

  test('hangOpen: the request gets no answer and no command runs', async () => {
    const { target, faults, phone } = await start()
    faults.set({ hangOpen: true })
    const answer = openPhone(target, 'shell,v2,raw:true')
    expect(await settledWithin(answer, 200)).toBe(false)
    expect(phone.ran).toEqual([])
  })

  test('hangCommand: the request is accepted and no command runs', async () => {
    const { target, faults, phone } = await start()
    faults.set({ hangCommand: true })
    const host = await openPhone(target, 'shell,v2,raw:true')
    expect(await settledWithin(readShell(host), 200)).toBe(false)
    expect(phone.ran).toEqual([])
    host.close()
  })

  test('refuseOpen: the request is closed', async () => {
    const { target, faults, phone } = await start()
    faults.set({ refuseOpen: true })
    await expect(openPhone(target, 'shell,v2,raw:true')).rejects.toThrow(/^closed$/)
    faults.clear()
    expect((await shell(target, 'true')).code).toBe(0)
    expect(phone.ran).toEqual(['true'])
  })

  test('commandDelayMs: the command starts after the delay', async () => {
    const { target, faults, phone } = await start()
    faults.set({ commandDelayMs: 500 })
    const host = await openPhone(target, 'shell,v2,raw:exit 7')
    expect(phone.ran).toEqual([])
    expect((await readShell(host)).code).toBe(7)
    expect(phone.ran).toEqual(['exit 7'])
    host.close()
  })

  test('trickle: the output arrives in several pieces', async () => {
    const { target, faults } = await start()
    faults.set({ trickle: { bytes: 8, intervalMs: 20 } })
    const host = await openPhone(target, 'exec:bytes 40')
    const pieces: Buffer[] = []
    for (;;) {
      const piece = await host.reader.takeAny()
      if (piece === undefined) break
      pieces.push(piece)
    }
    expect(Buffer.concat(pieces).equals(patternBytes(40))).toBe(true)
    expect(pieces.length).toBeGreaterThan(1)
    host.close()
  })

  test.each(['truncateAfter', 'dropAfter', 'corruptAfter'] as const)(
    '%s: the output ends at the given byte, without exit code',
    async (fault) => {
      const { target, faults, phone } = await start()
      const other = await openPhone(target, 'shell,v2,raw:sleep 30')
      await eventually(() => phone.running).toBe(1)
      faults.set({ [fault]: 1000 })
      const host = await openPhone(target, 'shell,v2,raw:bytes 5000; sleep 30')
      const bytes = await readAll(host)
      expect(bytes.subarray(5).equals(patternBytes(5000).subarray(0, 995))).toBe(true)
      await eventually(() => phone.running).toBe(fault === 'truncateAfter' ? 1 : 0)
      host.close()
      other.close()
    },
  )

  test('omitExit: the output is complete, without exit code', async () => {
    const { target, faults } = await start()
    faults.set({ omitExit: true })
    const result = await shell(target, 'echo whole; exit 7')
    expect(result.stdout.toString()).toBe('whole\n')
    expect(result.code).toBeUndefined()
  })

  test('noShellV2: shell_v2 is neither announced nor accepted, and the legacy shell works', async () => {
    const { target } = await start({ faults: { noShellV2: true } })
    const features = await askHost(target.port, `host-serial:${target.serial}:features`)
    expect(features.split(',')).not.toContain('shell_v2')
    await expect(openPhone(target, 'shell,v2,raw:true')).rejects.toThrow(/^closed$/)
    const host = await openPhone(target, 'shell:echo old')
    expect((await readAll(host)).toString()).toBe('old\n')
    host.close()
  })
})

async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return Promise.race([settled, sleep(ms, false)])
}

async function openRequest(target: { port: number; serial: string }, verb: string): Promise<HostConnection> {
  const host = await openHost(target.port)
  host.send(`host-serial:${target.serial}:${verb}`)
  expect(await host.status()).toBeUndefined()
  return host
}

async function openPhoneByTport(port: number, request: string): Promise<{ id: bigint; connection: HostConnection }> {
  const connection = await openHost(port)
  connection.send(request)
  expect(await connection.status()).toBeUndefined()
  const id = await connection.reader.take(8)
  return { id: id?.readBigUInt64LE() ?? 0n, connection }
}
