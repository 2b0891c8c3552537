/** Terms in the report: what each part counts, and what has no counterpart in XLA's profiles. Quantities are defined in docs/NUMBERS.md. */
import { definitionOf } from '../app/numbers_text';
import { Pop } from '../memory/pop';

const QUANTITIES = ['reserved', 'fragmentation', 'holes', 'always there', 'temporaries'];
const WORDS: [term: string, meaning: string][] = [
  ['own and shared space', 'addresses used by one buffer throughout the program, or by several in turn; reuse is how many buffer bytes share one address byte'],
  [
    'conflict',
    'two buffers live at the same step can never share bytes. What is always there conflicts with everything. XLA has no conflicts by memory element or region; the closest are memory space and alignment',
  ],
  ['rulers', 'rows of the address map are powers of two; memory elements and banks are not in XLA\u2019s profiles'],
  [
    'kinds with 0 bytes',
    'an instruction without its own bytes points into another one (bitcast, get-tuple-element) or is inside a fusion; where storage is shared, its bytes may be counted with another instruction',
  ],
  [
    'stack',
    'what the runtime had reserved for the running program when a device used the most, from allocator events. A moment of the run, not a step: the row Measured appears if the profile has such events and is in no other sum',
  ],
  ['device', 'the compiler’s numbers are the same for all devices of a program; measured ones differ: Module map, devices'],
];
const NONE: [what: string, why: string][] = [
  ['state of operations (vertices)', 'XLA keeps none in device memory; the closest are scratch of custom calls and scoped VMEM'],
  ['cost of instrumentation', 'not in XLA\u2019s profiles; buffers of callbacks and debug prints are under host transfers'],
  ['control, vertex and exchange code', 'some programs record the size of generated code per instruction; the row Program code has the sum'],
  ['placement by bank', 'not recorded: memory spaces are the finest detail'],
];

export function HelpBox() {
  return (
    <Pop label="?" title="what the terms in the report mean" boxClass="r-help">
      {() => (
        <div tabIndex={-1} role="note">
          <h3>Terms in the report</h3>
          <dl>
            {[...QUANTITIES.map((name): [string, string] => [name, definitionOf(name)]), ...WORDS].map(([term, meaning]) => [
              <dt key={term}>{term}</dt>,
              <dd key={`${term}.`}>{meaning}</dd>,
            ])}
          </dl>
          <h3>Not in XLA's profiles</h3>
          <dl>{NONE.map(([what, why]) => [<dt key={what}>{what}</dt>, <dd key={`${what}.`}>{why}</dd>])}</dl>
          <p class="soft">Hover an instruction name to see what it is.</p>
        </div>
      )}
    </Pop>
  );
}
