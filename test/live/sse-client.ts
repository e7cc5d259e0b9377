/** One frame of the stream. A comment has only `comment`. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: { event_kind: string; session_id: string; payload: Record<string, unknown> }
  readonly retry?: string
  readonly comment?: string
}

export interface Stream {
  readonly status: number
  readonly headers: Headers
  /** Frames so far. */
  readonly frames: Frame[]
  /** Waits until `enough` is true for the frames so far. */
  until(enough: (frames: readonly Frame[]) => boolean): Promise<Frame[]>
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>
  close(): void
}

export async function openStream(
  url: string,
  { token, headers = {} }: { token?: string; headers?: Record<string, string> },
): Promise<Stream> {
  const controller = new AbortController()
  const response = await fetch(url, {
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      accept: 'text/event-stream',
      ...headers,
    },
    signal: controller.signal,
  })
  const frames: Frame[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  const ended = read(response, (read) => {
    frames.push(...read)
    wake()
  }).then(wake, wake)
  return {
    status: response.status,
    headers: response.headers,
    frames,
    ended,
    close: () => controller.abort(),
    until: (enough) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!enough(frames)) return
          waiting.delete(check)
          resolve([...frames])
        }
        waiting.add(check)
        check()
        void ended.finally(() => {
          if (waiting.delete(check)) reject(new Error(`the stream ended after ${kinds(frames).join(', ')}`))
        })
      }),
  }
}

async function read(response: Response, take: (frames: Frame[]) => void): Promise<void> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    if (blocks.length > 0) take(blocks.map(parse))
  }
}

function parse(block: string): Frame {
  const frame: Record<string, unknown> = {}
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const value = line.slice(colon + 1).replace(/^ /, '')
    if (colon === 0) frame['comment'] = value
    else frame[line.slice(0, colon)] = line.startsWith('data') ? JSON.parse(value) : value
  }
  return frame
}

export const ids = (frames: readonly Frame[]): string[] =>
  frames.flatMap((frame) => (frame.id === undefined ? [] : [frame.id]))

export const kinds = (frames: readonly Frame[]): string[] =>
  frames.flatMap((frame) => (frame.event === undefined ? [] : [frame.event]))
