import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { eventually } from '../devices/driver/outcomes.ts'
import { findFreePort } from '../kit/phone-of-the-run.ts'
import { type RealAdb, startRealAdb } from '../phone/wire/real-adb.ts'
import type { Figure } from './figure.ts'
import { performWithApprentice, sumBytes, TASK_STEPS } from './mcp-task.ts'
import { installMobileMcp, MOBILE_MCP, performWithMobileMcp } from './mobile-mcp.ts'
import { outputFolder } from './servers.ts'

const MAX_RATIO = 0.5

/** The bytes that an agent sends and reads for a task by hand, on the same phone behind a real adb server. */
export const mcpBytes: Figure = {
  name: 'mcp-bytes',
  baseline: `${MOBILE_MCP} over adb`,
  run: async () => {
    const program = installMobileMcp(join(outputFolder, 'mobile-mcp'))
    const adb = await startRealAdb()
    try {
      const theirs = await withPhone(adb, ({ serial }) => performWithMobileMcp(program, { serial, adbPort: adb.port }))
      const ours = await withPhone(adb, () => performOverAdb(adb))
      const [own, baseline] = [sumBytes(ours) / TASK_STEPS, sumBytes(theirs) / TASK_STEPS]
      const target = { at_most: MAX_RATIO }
      return [{ what: 'bytes per step', ours: own, baseline, unit: 'B', ratio: own / baseline, target }]
    } finally {
      await adb.stop()
    }
  },
}

async function withPhone<T>(adb: RealAdb, work: (phone: Phone) => Promise<T>): Promise<T> {
  const port = await findFreePort()
  const phone = createPhone({ serial: adb.toSerial(port) })
  const face = await startAdbdDevice({ host: phone, port })
  await adb.connect(port)
  try {
    return await work(phone)
  } finally {
    await adb.disconnect(port)
    await face.close()
  }
}

async function performOverAdb(adb: RealAdb) {
  const ends: (() => void | Promise<void>)[] = []
  const config = { phone: 'adb' as const, adb: { host: '127.0.0.1', port: adb.port } }
  const daemon = await startDaemon({ config, whenOver: (end) => ends.push(end) })
  try {
    const { url } = await daemon.listen()
    await eventually(
      async () => (await daemon.get('/api/devices')).json<{ devices: { state: string }[] }>().devices,
      (devices) => devices[0]?.state === 'device',
    )
    const client = new Client({ name: 'bench', version: '1.0.0' })
    const requestInit = { headers: { authorization: `Bearer ${adminToken}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
    const exchanges = await performWithApprentice(client)
    await client.close()
    return exchanges
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}
