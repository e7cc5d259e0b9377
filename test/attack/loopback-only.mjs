// Loaded into attacked daemons and the Node programs that they start: no connection leaves this machine, whatever address
// a request made up.
import { Socket } from 'node:net'

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|::ffff:127(?:\.\d+){3})$/
const { prototype } = Socket
const descriptor = Object.getOwnPropertyDescriptor(prototype, 'connect')

prototype.connect = function connectToThisMachine(...args) {
  const host = readHost(args)
  if (host === undefined || LOOPBACK.test(host)) return descriptor.value.apply(this, args)
  const refused = Object.assign(new Error(`${host} is another machine.`), { code: 'ENETUNREACH' })
  process.nextTick(() => this.destroy(refused))
  return this
}

/** `net.connect` passes its arguments as one list. Undefined: this machine, or a socket file. */
function readHost([first, second]) {
  const options = Array.isArray(first) ? first[0] : first
  if (options !== null && typeof options === 'object') return options.host ?? undefined
  return typeof second === 'string' ? second : undefined
}
