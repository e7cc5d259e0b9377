const UNITS: ReadonlySet<string> = new Set(
  [
    'm cm mm km nm dm mi ft in yd kg g mg t lb lbs oz l ml cl dl gal',
    'h hr hrs min mins s sec secs ms d w wk wks y yr yrs std sek tage',
    'b kb mb gb tb kib mib gib kbit mbit gbit kbps mbps gbps bit px dp sp em pt',
    'hz khz mhz ghz w kw mw kwh wh v kv mv a ma mah kcal cal kj j bpm rpm fps db dbm lm lx pa hpa kpa bar mbar psi',
    'c f kn mph kmh kph ppm x pc pcs stk szt adet ks ud uds',
    'м см мм км кг г мг л мл ч мин с сек дн шт кб мб гб тб',
  ].flatMap((line) => line.split(' ')),
)

/** Whether letters glued to a number are a unit. `5K`, `5M` and `5B` are no fives. */
export function isUnit(written: string): boolean {
  return !/^[KMB]$/.test(written) && UNITS.has(written.toLowerCase())
}
