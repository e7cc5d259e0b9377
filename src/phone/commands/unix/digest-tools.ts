import { createHash } from 'node:crypto'
import { print, type Call, type Program } from '../../shell/command.ts'
import { parseProgramOptions } from './options.ts'
import { readFile, readInput } from './text-input.ts'

/** `md5sum`, `sha1sum` and their like. With -b they print the digest alone. */
function digest(algorithm: string): Program {
  return async (call) => {
    const { flags, operands } = parseProgramOptions(call.args)
    let code = 0
    for (const name of operands.length === 0 ? ['-'] : operands) {
      const data = await readFile(call, name)
      if (data === undefined) {
        code = 1
        continue
      }
      const hash = createHash(algorithm).update(data).digest('hex')
      print(call, flags.has('b') ? `${hash}\n` : `${hash}  ${name}\n`)
    }
    return code
  }
}

async function base64(call: Call): Promise<number> {
  const { flags, operands } = parseProgramOptions(call.args, ['w'])
  const data = await readInput(call, operands)
  if (data === undefined) return 1
  if (flags.has('d')) {
    call.stdout(Buffer.from(data.toString('latin1'), 'base64'))
    return 0
  }
  const width = Number(flags.get('w') ?? 76)
  const text = data.toString('base64')
  if (!(width > 0)) {
    print(call, text)
    return 0
  }
  const lines = Array.from({ length: Math.ceil(text.length / width) }, (_line, at) =>
    text.slice(at * width, (at + 1) * width),
  )
  print(call, lines.map((line) => `${line}\n`).join(''))
  return 0
}

/** `dd if=FILE of=FILE bs=N count=N skip=N`. */
async function dd(call: Call): Promise<number> {
  const settings = new Map(call.args.map((arg) => [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)]))
  const size = parseSize(settings.get('bs') ?? '512')
  const data = await readFile(call, settings.get('if') ?? '-')
  if (data === undefined) return 1
  const start = size * Number(settings.get('skip') ?? 0)
  const count = settings.get('count')
  const part = data.subarray(start, count === undefined ? undefined : start + size * Number(count))
  const target = settings.get('of')
  if (target === undefined) call.stdout(part)
  else call.files.save(target, part)
  const [whole, partial] = [Math.floor(part.length / size), part.length % size === 0 ? 0 : 1]
  const records = `${whole}+${partial} records`
  call.stderr(Buffer.from(`${records} in\n${records} out\n${part.length} bytes copied\n`))
  return 0
}

function parseSize(text: string): number {
  const [, digits = '512', unit = ''] = /^(\d+)([kKmM]?)/.exec(text) ?? []
  return Math.max(1, Number(digits) * (/k/i.test(unit) ? 1024 : /m/i.test(unit) ? 1024 ** 2 : 1))
}

export const digestTools: Readonly<Record<string, Program>> = {
  md5sum: digest('md5'),
  sha1sum: digest('sha1'),
  sha256sum: digest('sha256'),
  sha512sum: digest('sha512'),
  base64,
  dd,
}
