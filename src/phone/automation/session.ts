import type { PortConnection } from '../host/host.ts'
import { aborted } from '../host/clock.ts'
import { captureScreen, describeCapture, type CaptureLimits } from './capture.ts'
import { HelperError, PROTOCOL, type InstrumentationProcess, type ResultBundle } from './instrumentation.ts'
import { applyTouchPlan, findViewport } from './touch-plan.ts'

interface Reply {
  readonly headers: ResultBundle
  readonly body?: string
}

/** Serves commands on a port, one connection for each, until `quit`. Connections are served in turn. */
export async function serveSession(process: InstrumentationProcess, port: number, limits: CaptureLimits) {
  const { device, signal } = process
  if (device.listeners.has(port)) {
    throw new HelperError('java.net.BindException', 'bind failed: EADDRINUSE (Address already in use)')
  }
  const session = new Session(process, limits)
  if (!device.faults.consume('helperPortClosed')) device.listeners.set(port, (peer) => session.serve(peer))
  process.report(2, { ...PROTOCOL, ...limits, sessionReady: true, sessionPort: port })
  try {
    await Promise.race([session.ended, aborted(signal)])
  } finally {
    device.listeners.delete(port)
  }
}

class Session {
  private readonly process: InstrumentationProcess
  private readonly limits: CaptureLimits
  private last: Promise<void> = Promise.resolve()
  private end = () => {}
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve
  })

  constructor(process: InstrumentationProcess, limits: CaptureLimits) {
    this.process = process
    this.limits = limits
  }

  serve(peer: PortConnection): Promise<void> {
    this.last = this.last.then(() => this.answer(peer))
    return this.last
  }

  private async answer(peer: PortConnection): Promise<void> {
    const { faults } = this.process.device
    const line = await readLine(peer)
    const [action = '', requestId = '', payload = ''] = line.trim().split(/\s+/)
    if (faults.consume('helperKilled')) this.process.own.kill()
    if (this.process.signal.aborted) return
    const { headers, body = '' } = await this.run(action, payload)
    if (this.process.signal.aborted) return
    const text = formatReply({ ...PROTOCOL, requestId, ...headers }, body)
    const bytes = Buffer.from(text)
    await peer.write(faults.consume('helperTruncated') ? bytes.subarray(0, Math.floor(bytes.length * 0.6)) : bytes)
    if (action === 'quit') this.end()
  }

  private async run(action: string, payload: string): Promise<Reply> {
    try {
      if (this.process.device.faults.consume('helperFailed')) {
        throw new HelperError('java.util.concurrent.TimeoutException', 'Timed out waiting for Android UiAutomation')
      }
      return await this.runCommand(action, payload)
    } catch (error) {
      if (!(error instanceof HelperError)) throw error
      return { headers: { ok: false, errorType: error.type, message: error.message } }
    }
  }

  private async runCommand(action: string, payload: string): Promise<Reply> {
    const { process, limits } = this
    switch (action) {
      case 'quit':
        return { headers: { ok: true } }
      case 'viewport':
        return { headers: { ok: true, kind: 'viewport', ...findViewport(process.device) } }
      case 'gesture':
        return { headers: { ok: true, ...(await applyTouchPlan(process.device, payload)) } }
      case 'snapshot': {
        const capture = await captureScreen(process, limits)
        const byteLength = Buffer.byteLength(capture.xml)
        return { headers: { ok: true, ...limits, ...describeCapture(capture), byteLength }, body: capture.xml }
      }
      case '':
        throw new HelperError('java.io.EOFException', 'empty command')
      default:
        throw new HelperError('java.lang.IllegalArgumentException', 'unknown session command')
    }
  }
}

const MAX_LINE_BYTES = 1024 * 1024

async function readLine(peer: PortConnection): Promise<string> {
  let text = Buffer.alloc(0)
  while (!text.includes(0x0a) && text.length < MAX_LINE_BYTES) {
    const chunk = await peer.read()
    if (chunk === undefined) break
    text = Buffer.concat([text, chunk])
  }
  const end = text.indexOf(0x0a)
  return text.toString('utf8', 0, end === -1 ? text.length : end)
}

function formatReply(headers: ResultBundle, body: string): string {
  const lines = Object.entries(headers).map(([key, value]) => `${key}=${String(value).replaceAll(/[\r\n]/g, ' ')}\n`)
  return `${lines.join('')}\n${body}`
}
