import { printError, type Call } from '../../shell/command.ts'

/** `nc HOST PORT`: connects to a port that `adb reverse` leads to the computer. The phone has no other network. */
export async function netcat(call: Call): Promise<number> {
  const operands = call.args.filter((arg, at) => !arg.startsWith('-') && !/^-[wpq]$/.test(call.args[at - 1] ?? ''))
  const [host = '', port = ''] = operands
  const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(host)
  const connection = isLocal ? await call.device.reversed.get(`tcp:${port}`)?.() : undefined
  if (connection === undefined) {
    printError(call, `nc: connect: ${isLocal ? 'Connection refused' : 'Network is unreachable'}\n`)
    return 1
  }
  call.signal.addEventListener('abort', () => connection.close(), { once: true })
  const send = async (): Promise<void> => {
    for (let chunk = await call.stdin.chunk(); chunk !== undefined; chunk = await call.stdin.chunk()) {
      await connection.write(chunk)
    }
  }
  send().catch(() => connection.close())
  for (let chunk = await connection.read(); chunk !== undefined; chunk = await connection.read()) call.stdout(chunk)
  connection.close()
  return 0
}
