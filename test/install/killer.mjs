// Loaded into a daemon before anything else. Ends the process, as if the power went, at the moment that
// `KILL_AT` names: `<what>:<n>`, the n-th time that something is done.
//   rename, rm, open  before the n-th such call on a skill folder
//   inside            in the transaction that writes the n-th state of an installation, before it is committed
//   after             right after that transaction is committed
import fs from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { env, kill, pid } from 'node:process'

const [what, nth] = (env['KILL_AT'] ?? 'never:0').split(':')
let left = Number(nth)
let dying = false

const die = () => {
  kill(pid, 'SIGKILL')
  // Nothing more happens while the signal is on its way.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const isSkill = (path) => /workspace\/skills|learning\/installed/.test(String(path))

if (['rename', 'rm', 'open'].includes(what)) {
  const own = fs[what]
  fs[what] = (...args) => {
    if (isSkill(args[0]) && (left -= 1) === 0) die()
    return own(...args)
  }
  syncBuiltinESMExports()
}

if (what === 'inside' || what === 'after') {
  const Database = createRequire(import.meta.url)('better-sqlite3')
  const { prepare, transaction } = Database.prototype
  Database.prototype.prepare = function (source) {
    const statement = prepare.call(this, source)
    if (!/(?:INSERT INTO|UPDATE) install_sagas/.test(source)) return statement
    const { run } = statement
    statement.run = (...args) => {
      const done = run.apply(statement, args)
      if ((left -= 1) !== 0) return done
      if (what === 'inside') die()
      dying = true
      return done
    }
    return statement
  }
  Database.prototype.transaction = function (work) {
    const own = transaction.call(this, work)
    const wrapped = (...args) => own(...args)
    wrapped.immediate = (...args) => {
      const done = own.immediate(...args)
      if (dying) die()
      return done
    }
    return wrapped
  }
}
