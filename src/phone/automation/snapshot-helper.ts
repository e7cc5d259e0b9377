import { captureScreen, describeCapture, type Capture, type CaptureLimits } from './capture.ts'
import { HelperError, PROTOCOL, type InstrumentationProcess, type ResultBundle } from './instrumentation.ts'
import { serveSession } from './session.ts'
import { applyTouchPlan, findViewport } from './touch-plan.ts'

const DEFAULTS: CaptureLimits = {
  waitForIdleTimeoutMs: 500,
  waitForIdleQuietMs: 100,
  timeoutMs: 8000,
  maxDepth: 128,
  maxNodes: 5000,
}

const CHUNK_BYTES = 2048

/** The snapshot helper of agent-device 0.21: one reading or gesture, or a session on a port. */
export async function runSnapshotHelper(process: InstrumentationProcess) {
  const limits = readLimits(process.values)
  const base = { ...PROTOCOL, ...limits }
  try {
    return { code: 0, result: { ...base, ok: true, ...(await runMode(process, limits)) } }
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    return { code: 1, result: { ...base, ok: false, errorType: error.type, message: error.message } }
  }
}

async function runMode(process: InstrumentationProcess, limits: CaptureLimits): Promise<ResultBundle> {
  const { values } = process
  const mode = values.get('mode') ?? 'snapshot'
  const port = Number(values.get('sessionPort') ?? 0)
  if (mode === 'viewport') return { kind: 'viewport', ...findViewport(process.device) }
  if (mode === 'gesture') return applyTouchPlan(process.device, values.get('payloadBase64') ?? '')
  if (mode !== 'snapshot') throw new HelperError('java.lang.IllegalArgumentException', `Unsupported mode: ${mode}`)
  if (port > 0) {
    await serveSession(process, port, limits)
    return { sessionEnded: true }
  }
  const capture = await captureScreen(process, limits)
  if (values.get('emitChunks') !== 'false') reportChunks(process, capture)
  return describeCapture(capture)
}

function reportChunks(process: InstrumentationProcess, { xml }: Capture): void {
  const bytes = Buffer.from(xml)
  const chunkCount = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES))
  for (let chunkIndex = 0; chunkIndex < chunkCount; chunkIndex += 1) {
    const part = bytes.subarray(chunkIndex * CHUNK_BYTES, (chunkIndex + 1) * CHUNK_BYTES)
    process.report(1, { ...PROTOCOL, chunkIndex, chunkCount, payloadBase64: part.toString('base64') })
  }
}

function readLimits(values: ReadonlyMap<string, string>): CaptureLimits {
  const entries = Object.entries(DEFAULTS).map(([key, fallback]) => [key, readCount(values.get(key), fallback)])
  return { ...DEFAULTS, ...Object.fromEntries(entries) }
}

function readCount(text: string | undefined, fallback: number): number {
  return text !== undefined && /^-?\d+$/.test(text.trim()) ? Math.max(0, Number(text)) : fallback
}
